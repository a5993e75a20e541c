// Package marks reads what people put on objects: custom attributes whose names begin with vperf., and tags.
package marks
