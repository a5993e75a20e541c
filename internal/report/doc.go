// Package report renders audits, advice, plans and runs. Each renderer writes one format and is a pure function of data and a
// writer. The package makes no decisions.
package report
