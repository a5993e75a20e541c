// Package rvtoolstest writes exports as RVTools does, for tests.
package rvtoolstest

import (
	"archive/zip"
	"bufio"
	"encoding/csv"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Sheet is a table of an export. The first row is its header. A cell is a string, an int64, a float64 or a bool.
type Sheet struct {
	Name string
	Rows [][]any
}

// Form is a form of exports that differs by version and by country.
type Form struct {
	// MB is true for 3.11, which writes MB where 4.x writes MiB.
	MB bool
	// Text writes numbers and booleans as text in this language; empty: as numbers of the workbook, with True and False.
	Language string
	// Separator is that of CSV files; 0: a comma.
	Separator rune
	// Inline writes texts into the cells instead of the shared texts.
	Inline bool
}

// header returns a column's name in the form.
func (f Form) header(name string) string {
	if f.MB {
		return strings.ReplaceAll(name, "MiB", "MB")
	}
	return name
}

// text returns a cell as text in the form.
func (f Form) text(cell any) string {
	switch c := cell.(type) {
	case bool:
		if f.Language == "de" {
			return map[bool]string{true: "WAHR", false: "FALSCH"}[c]
		}
		return map[bool]string{true: "True", false: "False"}[c]
	case int64:
		if group := map[string]string{"de": ".", "en": ",", "fr": "\u202f"}[f.Language]; group != "" {
			return grouped(c, group)
		}
		return strconv.FormatInt(c, 10)
	case float64:
		return strconv.FormatFloat(c, 'f', -1, 64)
	}
	return fmt.Sprint(cell)
}

func grouped(n int64, by string) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + by + text[i:]
	}
	return text
}

// WriteFolder writes an export as CSV files.
func WriteFolder(folder string, sheets []Sheet, form Form) error {
	for _, s := range sheets {
		if err := writeCSV(filepath.Join(folder, "RVTools_tab"+s.Name+".csv"), s, form); err != nil {
			return err
		}
	}
	return nil
}

func writeCSV(path string, s Sheet, form Form) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // Flush reports errors
	w := csv.NewWriter(file)
	if form.Separator != 0 {
		w.Comma = form.Separator
	}
	for i, row := range s.Rows {
		texts := make([]string, len(row))
		for j, cell := range row {
			if texts[j] = form.text(cell); i == 0 {
				texts[j] = form.header(texts[j])
			}
		}
		if err := w.Write(texts); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

// WriteWorkbook writes an export as a workbook.
func WriteWorkbook(to io.Writer, sheets []Sheet, form Form) error {
	z := zip.NewWriter(to)
	w := &workbook{zip: z, form: form, numbers: map[string]int{}}
	for i, s := range sheets {
		if err := w.sheet(i+1, s); err != nil {
			return err
		}
	}
	if err := w.contents(sheets); err != nil {
		return err
	}
	return z.Close()
}

type workbook struct {
	zip     *zip.Writer
	form    Form
	numbers map[string]int // of the shared texts
	texts   []string
}

const declaration = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\r\n"

func (w *workbook) part(name string, write func(*bufio.Writer) error) error {
	out, err := w.zip.Create(name)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(out)
	if _, err := b.WriteString(declaration); err != nil {
		return err
	}
	if err := write(b); err != nil {
		return err
	}
	return b.Flush()
}

const namespace = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`

func (w *workbook) sheet(number int, s Sheet) error {
	return w.part(fmt.Sprintf("xl/worksheets/sheet%d.xml", number), func(b *bufio.Writer) error {
		fmt.Fprintf(b, `<worksheet %s><sheetData>`, namespace)
		for i, row := range s.Rows {
			fmt.Fprintf(b, `<row r="%d">`, i+1)
			for j, cell := range row {
				if err := w.cell(b, reference(i, j), cell, i == 0); err != nil {
					return err
				}
			}
			_, _ = b.WriteString(`</row>`)
		}
		_, err := b.WriteString(`</sheetData></worksheet>`)
		return err
	})
}

// reference returns A1 for row 0, column 0.
func reference(row, column int) string {
	name := ""
	for n := column + 1; n > 0; n = (n - 1) / 26 {
		name = string(rune('A'+(n-1)%26)) + name
	}
	return name + strconv.Itoa(row+1)
}

func (w *workbook) cell(b *bufio.Writer, at string, cell any, isHeader bool) error {
	if w.form.Language == "" {
		switch c := cell.(type) {
		case int64, float64:
			_, err := fmt.Fprintf(b, `<c r="%s"><v>%s</v></c>`, at, w.form.text(c))
			return err
		}
	}
	text := w.form.text(cell)
	switch {
	case text == "":
		return nil // Excel has no cell there
	case isHeader:
		text = w.form.header(text)
	}
	if w.form.Inline {
		_, _ = fmt.Fprintf(b, `<c r="%s" t="inlineStr"><is><t xml:space="preserve">`, at)
		if err := xml.EscapeText(b, []byte(text)); err != nil {
			return err
		}
		_, err := b.WriteString(`</t></is></c>`)
		return err
	}
	n, known := w.numbers[text]
	if !known {
		n = len(w.texts)
		w.numbers[text], w.texts = n, append(w.texts, text)
	}
	_, err := fmt.Fprintf(b, `<c r="%s" t="s"><v>%d</v></c>`, at, n)
	return err
}

// contents writes the parts that describe the others.
func (w *workbook) contents(sheets []Sheet) error {
	const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	if err := w.part("xl/sharedStrings.xml", func(b *bufio.Writer) error {
		fmt.Fprintf(b, `<sst %s>`, namespace)
		for _, text := range w.texts {
			_, _ = b.WriteString(`<si><t xml:space="preserve">`)
			if err := xml.EscapeText(b, []byte(text)); err != nil {
				return err
			}
			_, _ = b.WriteString(`</t></si>`)
		}
		_, err := b.WriteString(`</sst>`)
		return err
	}); err != nil {
		return err
	}
	if err := w.part("xl/workbook.xml", func(b *bufio.Writer) error {
		fmt.Fprintf(b, `<workbook %s xmlns:r="%s"><sheets>`, namespace, office)
		for i, s := range sheets {
			fmt.Fprintf(b, `<sheet name="%s" sheetId="%d" r:id="rId%d"/>`, s.Name, i+1, i+1)
		}
		_, err := b.WriteString(`</sheets></workbook>`)
		return err
	}); err != nil {
		return err
	}
	return w.part("xl/_rels/workbook.xml.rels", func(b *bufio.Writer) error {
		_, _ = b.WriteString(`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`)
		for i := range sheets {
			fmt.Fprintf(b, `<Relationship Id="rId%d" Type="%s/worksheet" Target="worksheets/sheet%d.xml"/>`, i+1, office, i+1)
		}
		_, err := fmt.Fprintf(b, `<Relationship Id="rIdS" Type="%s/sharedStrings" Target="sharedStrings.xml"/></Relationships>`, office)
		return err
	})
}
