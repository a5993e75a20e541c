// Package batch reads and writes the batch CSV of esxtop, with all that real files get wrong: what was odd is reported, not guessed.
//
// A Reader streams a file row by row; OpenReplay makes a source of frames of captures, which can go back; a Writer writes rounds
// of any source as esxtop -b does.
package batch
