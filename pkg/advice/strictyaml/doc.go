// Package strictyaml reads YAML files into structs and reports every mistake with file, line and column.
//
// YAML's own strict mode reports only a line and stops at the first kind of mistake. [File.Decode] walks the tree
// before it is decoded and reports every unknown or repeated field and every wrong structure together, as [Errors].
// [Fields] then collects errors in the values.
package strictyaml
