// Package collect groups items and removes duplicates, and keeps their order.
package collect

// ByKey groups values by key, in the order in which the keys were added.
type ByKey[K comparable, V any] struct {
	Keys []K
	by   map[K]*V
}

// At returns the value of a key, which starts as the zero value.
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

// Values returns the values without the keys.
func (b *ByKey[K, V]) Values() []V {
	return Map(b.Keys, func(k K) V { return *b.by[k] })
}

// Each returns the result of of for every key and its value.
func Each[K comparable, V, B any](b ByKey[K, V], of func(K, *V) B) []B {
	return Map(b.Keys, func(k K) B { return of(k, b.by[k]) })
}
