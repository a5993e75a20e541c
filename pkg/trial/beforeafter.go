package trial

// BeforeAfter compares the samples before a change with those after it: values are those of an outcome's form, one a
// sample. The interval is Newey and West's, with a linear trend. It proves nothing, and its claim says so.
func BeforeAfter(r *Registration, before, after []float64) *Result { panic("not written yet") }
