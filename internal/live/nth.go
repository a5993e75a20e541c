package live

// nth returns the value at an index of the sorted values, which it reorders; this is faster than sorting if only two or
// three of hundreds are needed. Without values it returns NaN.
func nth(values []float32, place int) float32 {
	lo, hi := 0, len(values)-1
	for lo < hi {
		left, right := partition(values, lo, hi)
		switch {
		case place <= right:
			hi = right
		case place >= left:
			lo = left
		default:
			return values[place]
		}
	}
	return values[place]
}

// partition moves values that are not greater than the middle one to the front, up to right, and those that are not less
// to the back, from left on. Values between are equal to it.
func partition(values []float32, lo, hi int) (left, right int) {
	middle := values[lo+(hi-lo)/2]
	left, right = lo, hi
	for left <= right {
		for values[left] < middle {
			left++
		}
		for values[right] > middle {
			right--
		}
		if left <= right {
			values[left], values[right] = values[right], values[left]
			left++
			right--
		}
	}
	return left, right
}
