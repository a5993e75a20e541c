// Package batch reads and writes the batch CSV of esxtop. It tolerates the defects of real files, and reports them
// instead of guessing.
//
// A Reader streams a file row by row; OpenReplay returns a seekable source of frames from captures; a Writer writes
// rounds of any source like esxtop -b.
package batch
