package world

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/vmware/govmomi/vim25/types"
)

// Decoded makes a vSphere object of data with vSphere's own field names, where _typeName names the type.
func Decoded[T any](data map[string]any) (object T) {
	Patch(data, &object)
	return object
}

// Patch lays data with vSphere's own field names over an object. The data are the fleet's own: a test applies all
// of them, and finds names that vSphere does not have.
func Patch(data map[string]any, onto any) {
	if data == nil {
		return
	}
	text, err := json.Marshal(data)
	if err == nil {
		err = types.NewJSONDecoder(bytes.NewReader(text)).Decode(onto)
	}
	if err != nil {
		panic(fmt.Sprintf("data of the demo fleet: %s: %v", text, err))
	}
}
