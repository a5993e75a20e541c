//go:build !race

package advice

const raced = false
