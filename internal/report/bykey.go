package report

// byKey puts together what has a key in common, in the order in which the keys came.
type byKey[K comparable, V any] struct {
	keys []K
	by   map[K]*V
}

// at is what there is of a key; it begins as the zero value.
func (b *byKey[K, V]) at(key K) *V {
	of := b.by[key]
	if of == nil {
		if b.by == nil {
			b.by = map[K]*V{}
		}
		of = new(V)
		b.by[key], b.keys = of, append(b.keys, key)
	}
	return of
}

func (b *byKey[K, V]) values() []V {
	return mapped(b.keys, func(k K) V { return *b.by[k] })
}

// eachKey is what is to be said of every key.
func eachKey[K comparable, V, B any](b byKey[K, V], of func(K, *V) B) []B {
	return mapped(b.keys, func(k K) B { return of(k, b.by[k]) })
}
