// Package advice evaluates facts by rules.
//
// A rule is a YAML file; its expressions are CEL, type-checked against the fact types of package inventory when the
// rule is selected, with file, line and column for every mistake. [Load] reads rules, [Ruleset.Select] picks and
// compiles some of them, [Ruleset.Needs] returns the facts they read, and [Evaluate] evaluates them against a snapshot.
//
// The package uses three-valued logic. If an expression reads an unread fact, it is unknown, and the finding names the
// fact. If it reads an absent fact, the rule is not applicable. `false && unread` is still false and `true || unread`
// is still true. A rule therefore never passes on a fact that could not be read.
//
// Package strictyaml reads files, package vendor knows the published data of vendors, and package ruletool has tools
// for rule authors.
//
// The package does not use the network, the clock or files other than its arguments: the same facts give the same
// findings.
package advice
