package live

// nth is the value at a place of the sorted values, which it moves about: whoever wants two or three of hundreds need not sort
// them all. None is NaN.
func nth(values []float32, place int) float32 {
	lo, hi := 0, len(values)-1
	for lo < hi {
		left, right := parted(values, lo, hi)
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

// parted moves what is no more than a value from the middle to the front, up to right, and what is no less to the back, from
// left on. What lies between is that value.
func parted(values []float32, lo, hi int) (left, right int) {
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
