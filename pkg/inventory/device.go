package inventory

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
	return Ref{Kind: kind, Name: r.Name + "/" + device, ID: r.ID + "/" + device, VCenter: r.VCenter, Path: r.Path + "/" + device}
}

func gapOf[T owner](of T) string {
	var none T
	if of == none {
		return notRead
	}
	return of.Gap()
}
