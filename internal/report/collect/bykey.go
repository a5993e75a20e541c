// Package collect groups things and drops repeated ones, and keeps the order in which they came.
package collect

// ByKey puts together what has a key in common, in the order in which the keys came.
type ByKey[K comparable, V any] struct {
	Keys []K
	by   map[K]*V
}

// At is what there is of a key; it begins as the zero value.
func (b *ByKey[K, V]) At(key K) *V {
	of := b.by[key]
	if of == nil {
		if b.by == nil {
			b.by = map[K]*V{}
		}
		of = new(V)
		b.by[key], b.Keys = of, append(b.Keys, key)
	}
	return of
}

// Values are what there is, without the keys.
func (b *ByKey[K, V]) Values() []V {
	return Map(b.Keys, func(k K) V { return *b.by[k] })
}

// Each is what is to be said of every key.
func Each[K comparable, V, B any](b ByKey[K, V], of func(K, *V) B) []B {
	return Map(b.Keys, func(k K) B { return of(k, b.by[k]) })
}
