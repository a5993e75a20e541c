// Package script writes a plan as a script for the tools of others, with its undo, for shops where no program of ours may
// write. A script looks before each change whether what is there is what the plan was made for, and afterwards whether the
// change is there. What a tool cannot do stands in its script as a comment that says so.
package script
