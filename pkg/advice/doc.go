// Package advice judges facts by rules.
//
// A rule is a YAML file; its expressions are CEL, type-checked against the fact types of package inventory when the
// rule is selected, with file, line and column for every mistake. [Load] reads rules, [Ruleset.Select] picks and
// compiles some of them, [Ruleset.Needs] says which facts they read, and [Evaluate] holds them against a snapshot.
//
// The heart of the package is three-valued logic. Reading an unread fact makes an expression unknown, and the finding
// names the fact; reading an absent one makes the rule not applicable; `false && unread` is still false and
// `true || unread` still true. A rule can therefore never pass on something that nobody could look at.
//
// What reads files is package strictyaml, what vendors publish is package vendor, and the tools for those who write rules are
// package ruletool.
//
// Nothing here touches the network, the clock or a file it was not handed: the same facts give the same findings.
package advice
