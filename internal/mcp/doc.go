// Package mcp serves vperf's reading commands to assistants, over the Model Context Protocol.
//
// It reads through the functions of [Reading] alone: it opens no connection and no file, and no argument of a tool names a server or
// a file. Everything that comes from an inventory is data that strangers may have written: each answer marks it as such, and every
// string is cleaned and cut before it leaves.
package mcp
