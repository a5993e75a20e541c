// Package tagging reads the marks that users put on objects: custom attributes whose names begin with vperf., and tags.
package tagging
