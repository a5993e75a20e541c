package guard

import "reflect"

// clone returns a deep copy of a value of the vSphere API, which has no maps.
//
// govmomi v0.56.0 simulator: it copies by encoding and decoding XML, which takes half of its time.
func clone(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	separate(out)
	return out
}

// separate replaces all that v shares with the value that it was copied from.
func separate(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			v.Set(clone(v.Elem()).Addr())
		}
	case reflect.Interface:
		if !v.IsNil() {
			v.Set(clone(v.Elem()))
		}
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(own, v)
		for i := range own.Len() {
			separate(own.Index(i))
		}
		v.Set(own)
	case reflect.Struct:
		for i := range v.NumField() { //nolint:modernize // Fields makes a description of each field as well
			if f := v.Field(i); f.CanSet() { // not the insides of a time
				separate(f)
			}
		}
	default:
	}
}
