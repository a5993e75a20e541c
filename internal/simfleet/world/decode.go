package world

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/vmware/govmomi/vim25/types"
)

// Decoded creates a vSphere object from data with vSphere's own field names; _typeName names the type.
func Decoded[T any](data map[string]any) (object T) {
	Patch(data, &object)
	return object
}

// Patch sets fields of an object from data with vSphere's own field names. The data are the fleet's own: a test applies all of
// them, and reports unknown names.
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
