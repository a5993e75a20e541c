// Package rvtools reads the exports of RVTools 3.11 and 4.x as facts: a workbook, or a folder of CSV files. Sheets and columns are found
// by name. A fact whose column the export does not have, or has in a form whose meaning is not certain, is unread with that reason, so
// that no rule passes on it.
package rvtools
