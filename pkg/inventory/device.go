package inventory

import "strings"

// owner is an object that has devices.
type owner interface {
	comparable
	Object
}

func deviceRef[T owner](kind Scope, of T, device string) Ref {
	var none T
	if of == none {
		return Ref{Kind: kind, Name: device}
	}
	r := of.Ref()
	path, name := r.Path+"/"+device, ""
	if strings.HasSuffix(r.Path, r.Name) {
		name = path[len(r.Path)-len(r.Name):] // in the memory of the path
	} else {
		name = r.Name + "/" + device
	}
	return Ref{Kind: kind, Name: name, ID: r.ID + "/" + device, VCenter: r.VCenter, Path: path}
}

func gapOf[T owner](of T) string {
	var none T
	if of == none {
		return notRead
	}
	return of.Gap()
}
