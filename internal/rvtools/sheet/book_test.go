package sheet

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
)

// texts returns the cells of all rows.
func texts(t *testing.T, book Book, name string) (all [][]string) {
	t.Helper()
	require.NoError(t, book.Rows(name, func(r *Row) error {
		row := make([]string, r.Len())
		for i := range row {
			row[i] = r.Text(i)
		}
		all = append(all, row)
		return nil
	}))
	return all
}

// archive makes a zip file of parts.
func archive(t testing.TB, parts map[string]string) []byte {
	t.Helper()
	return packed(t, parts, zip.Deflate)
}

func packed(t testing.TB, parts map[string]string, method uint16) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		require.NoError(t, err)
		_, err = io.WriteString(w, parts[name])
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return b.Bytes()
}

// minimal returns the parts of a workbook with one sheet.
func minimal(sheet string) map[string]string {
	return map[string]string{
		"xl/workbook.xml": `<x:workbook xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">` +
			`<x:sheets><x:sheet name="vInfo" sheetId="1" r:id="rId1"/></x:sheets></x:workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
			`<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="/xl/worksheets/sheet1.xml"/>` +
			`<Relationship Id="rId2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings" Target="sharedStrings.xml"/></Relationships>`,
		"xl/sharedStrings.xml":     `<sst><si><t>VM</t></si><si><r><t>a&amp;</t></r><r><t xml:space="preserve"> b</t></r><rPh sb="0" eb="1"><t>reading</t></rPh></si><si/></sst>`,
		"xl/worksheets/sheet1.xml": sheet,
		"docProps/core.xml":        `<cp:coreProperties xmlns:cp="c" xmlns:dcterms="d"><dcterms:created>2026-05-04T09:00:00Z</dcterms:created></cp:coreProperties>`,
	}
}

func opened(t testing.TB, parts map[string]string, limits Limits) (*Workbook, error) {
	t.Helper()
	b := archive(t, parts)
	return OpenWorkbook(context.Background(), bytes.NewReader(b), int64(len(b)), limits)
}

func TestWorkbook(t *testing.T) {
	w, err := opened(t, minimal(`<?xml version="1.0"?><!-- a > b --><worksheet><sheetData>`+
		`<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><r><t>in</t></r><r><t>line</t></r></is></c></row>`+
		`<row r="2"><c r="B2" s="4"><f>A1</f><v>1.5</v></c><c r="D2" t="b"><v>1</v></c><c t="s"><v>1</v></c><c t="e"><v>#N/A</v></c></row>`+
		`<row/><x:row><x:c t="str"><x:v>_x000D_&#x41;&lt;&unknown;</x:v></x:c><x:c r="B4"/></x:row></sheetData></worksheet>`), DefaultLimits)
	require.NoError(t, err)
	require.Equal(t, []string{"vInfo"}, w.Names())
	require.Equal(t, 2026, w.Created().Year())
	require.Equal(t, [][]string{{"VM", "", "inline"}, {"", "1.5", "", "True", "a& b", ""}, {}, {"\rA<&unknown;", ""}}, texts(t, w, "vInfo"))
	require.ErrorContains(t, w.Rows("vHost", nil), "no sheet vHost")
}

// TestWorkbooksOfPrograms reads workbooks that other programs wrote.
func TestWorkbooksOfPrograms(t *testing.T) {
	for _, name := range []string{"excelize.xlsx", "openpyxl.xlsx"} {
		b, err := os.ReadFile(filepath.Join("testdata", name))
		require.NoError(t, err)
		w, err := OpenWorkbook(context.Background(), bytes.NewReader(b), int64(len(b)), DefaultLimits)
		require.NoError(t, err)
		require.Equal(t, []string{"vInfo", "vHost"}, w.Names(), name)
		got := texts(t, w, "vInfo")
		require.Equal(t, [][]string{{"VM", "Powerstate", "Template", "Memory", "PowerOn"}, {"web & <01> é", "poweredOn", "True", "16384", "46146.375"}}, got[:2], name)
		require.Equal(t, "db02", got[2][0], name)
		require.Equal(t, [][]string{{"Host"}, {"esx01.example.com"}}, texts(t, w, "vHost"), name)
	}
}

func TestOtherFilesAreNamed(t *testing.T) {
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"empty":     {nil, "it is empty"},
		"encrypted": {append([]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), make([]byte, 600)...), "password-protected, or an old .xls file"},
		"text":      {[]byte("hello, this is a text file"), "no zip archive"},
		"cut off":   {archive(t, minimal(""))[:300], "cut off"},
		"word":      {archive(t, map[string]string{"word/document.xml": ""}), "a Word document"},
		"slides":    {archive(t, map[string]string{"ppt/presentation.xml": ""}), "a presentation"},
		"csv":       {archive(t, map[string]string{"RVTools_tabvInfo.csv": ""}), "a zip archive with 1 exports or tables; unpack it"},
		"binary":    {archive(t, map[string]string{"xl/workbook.bin": ""}), ".xlsb"},
		"zip":       {archive(t, map[string]string{"a": ""}), "without a workbook"},
		"empty zip": {archive(t, nil), "without a workbook"},
		"no sheets": {archive(t, map[string]string{"xl/workbook.xml": "<workbook/>", "xl/_rels/workbook.xml.rels": "<Relationships/>"}), "has no sheets"},
		"no parts":  {archive(t, map[string]string{"xl/workbook.xml": "<workbook/>"}), "has no xl/_rels/workbook.xml.rels"},
	} {
		_, err := OpenWorkbook(context.Background(), bytes.NewReader(c.file), int64(len(c.file)), DefaultLimits)
		require.ErrorIs(t, err, ErrKind, name)
		require.ErrorContains(t, err, c.want, name)
	}
}

func TestDamagedSheets(t *testing.T) {
	for sheet, want := range map[string]string{
		`<worksheet><sheetData><row><c r="A1"><v>1`:                                       "unexpected EOF",
		`<worksheet><sheetData><row><c t="s"><v>9</v></c></row>`:                          "refers to a text that is not there",
		`<worksheet><sheetData><row><c r="B1"><v>1</v></c><c r="A1"/></row>`:              "in the wrong place",
		`<worksheet><sheetData><row><c r="ZZZZZ1"><v>1</v></c></row>`:                     "in the wrong place",
		`<!DOCTYPE x [<!ENTITY a "b">]><worksheet/>`:                                      "document type",
		`<worksheet><sheetData><row><c><v>` + strings.Repeat("x", maxText+1) + `</v></c>`: "longer than a cell",
	} {
		w, err := opened(t, minimal(sheet), DefaultLimits)
		require.NoError(t, err)
		require.ErrorContains(t, w.Rows("vInfo", func(*Row) error { return nil }), want)
	}
}

// TestBombs reads workbooks that unpack to more than the limits.
func TestBombs(t *testing.T) {
	rows := `<worksheet><sheetData>` + strings.Repeat(`<row><c><v>1</v></c></row>`, 100_000) + `</sheetData></worksheet>`
	w, err := opened(t, minimal(rows), Limits{Unpacked: 1 << 20, Shared: 1 << 20})
	require.NoError(t, err)
	require.ErrorIs(t, w.Rows("vInfo", func(*Row) error { return nil }), ErrTooLarge)

	parts := minimal(`<worksheet><sheetData></sheetData></worksheet>`)
	parts["xl/sharedStrings.xml"] = "<sst>" + strings.Repeat("<si><t>text</t></si>", 100_000) + "</sst>"
	w, err = opened(t, parts, Limits{Unpacked: 1 << 30, Shared: 1 << 20})
	require.NoError(t, err)
	require.ErrorIs(t, w.Rows("vInfo", func(*Row) error { return nil }), ErrTooLarge)

	parts = minimal("")
	parts["xl/workbook.xml"] = "<workbook>" + strings.Repeat(" ", maxContents+1) + "</workbook>"
	_, err = opened(t, parts, DefaultLimits)
	require.ErrorIs(t, err, ErrTooLarge)
}

// Texts count with the memory that they take, not only with their bytes in the file.
func TestEmptyTextsAreCounted(t *testing.T) {
	parts := minimal(`<worksheet><sheetData></sheetData></worksheet>`)
	for name, text := range map[string]string{"empty": "<si/>", "of empty parts": "<si><r><t/></r></si>"} {
		parts["xl/sharedStrings.xml"] = "<sst>" + strings.Repeat(text, 300_000) + "</sst>"
		w, err := opened(t, parts, Limits{Unpacked: 1 << 30, Shared: 8 << 20})
		require.NoError(t, err)
		require.ErrorIs(t, w.Rows("vInfo", func(*Row) error { return nil }), ErrTooLarge, name)
		require.Less(t, len(w.shared), 300_000, name)
	}
	parts["xl/sharedStrings.xml"] = "<sst><si>" + strings.Repeat("<t>"+strings.Repeat("x", 1<<10)+"</t>", 1<<11) + "</si></sst>"
	w, err := opened(t, parts, DefaultLimits)
	require.NoError(t, err)
	require.ErrorIs(t, w.Rows("vInfo", func(*Row) error { return nil }), errLongCell)
}

// A cell of many texts, and a row of many long cells, are compressed to nearly nothing.
func TestRowsAreBounded(t *testing.T) {
	long := strings.Repeat("x", 1<<19)
	for name, row := range map[string]string{
		"a cell": `<c t="inlineStr"><is>` + strings.Repeat("<t>"+long+"</t>", 3) + `</is></c>`,
		"a row":  strings.Repeat(`<c><v>`+long+`</v></c>`, 40),
	} {
		w, err := opened(t, minimal(`<worksheet><sheetData><row>`+row+`</row></sheetData></worksheet>`), DefaultLimits)
		require.NoError(t, err)
		require.ErrorIs(t, w.Rows("vInfo", func(*Row) error { return nil }), errLongCell, name)
	}
}

// Reading ends with the context, after the rows of the buffer.
func TestReadingEndsWithTheContext(t *testing.T) {
	const total = 100_000
	rows := archive(t, minimal(`<worksheet><sheetData>`+strings.Repeat(`<row><c><v>1</v></c></row>`, total)+`</sheetData></worksheet>`))
	table := filepath.Join(t.TempDir(), "vInfo.csv")
	require.NoError(t, os.WriteFile(table, []byte(strings.Repeat("a,b\n", total)), 0o600))
	for name, open := range map[string]func(context.Context) (Book, error){
		"workbook": func(ctx context.Context) (Book, error) {
			return OpenWorkbook(ctx, bytes.NewReader(rows), int64(len(rows)), DefaultLimits)
		},
		"table": func(ctx context.Context) (Book, error) {
			return OpenTables(ctx, []string{"vInfo"}, map[string]string{"vInfo": table}, DefaultLimits), nil
		},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		book, err := open(ctx)
		require.NoError(t, err, name)
		read := 0
		err = book.Rows("vInfo", func(*Row) error { cancel(); read++; return nil })
		require.ErrorIs(t, err, context.Canceled, name)
		require.Less(t, read, total/2, name)
	}
}

// encoded returns text in UTF-16 with a byte order mark.
func encoded(text string) []byte {
	out := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(text)) {
		out = append(out, byte(u), byte(u>>8))
	}
	return out
}

func TestCSV(t *testing.T) {
	want := [][]string{{"VM", "Memory"}, {"a, \"b\"\nc 😀", "1;234"}, {"short"}}
	for name, text := range map[string][]byte{
		"comma":     []byte("VM,Memory\r\n\"a, \"\"b\"\"\nc 😀\",1;234\r\nshort\r\n"),
		"semicolon": []byte("VM;Memory\n\"a, \"\"b\"\"\nc 😀\";\"1;234\"\nshort\n"),
		"tab":       []byte("VM\tMemory\n\"a, \"\"b\"\"\nc 😀\"\t1;234\nshort"),
		"mark":      []byte("\xef\xbb\xbfVM,Memory\n\"a, \"\"b\"\"\nc 😀\",1;234\nshort\n"),
		"UTF-16":    encoded("VM,Memory\r\n\"a, \"\"b\"\"\nc 😀\",1;234\r\nshort\r\n"),
	} {
		path := filepath.Join(t.TempDir(), "vInfo.csv")
		require.NoError(t, os.WriteFile(path, text, 0o600))
		require.Equal(t, want, texts(t, OpenTables(t.Context(), []string{"vInfo"}, map[string]string{"vInfo": path}, DefaultLimits), "vInfo"), name)
	}
	require.ErrorContains(t, ReadCSV(strings.NewReader(""), nil), "it is empty")
	require.ErrorContains(t, ReadCSV(strings.NewReader("a,b\n\"c"), func(*Row) error { return nil }), "line 2")
}

func TestCSVHasALimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "vInfo.csv")
	require.NoError(t, os.WriteFile(path, bytes.Repeat([]byte("a,b\n"), 1<<18), 0o600))
	tables := OpenTables(t.Context(), []string{"vInfo"}, map[string]string{"vInfo": path}, Limits{Unpacked: 1 << 18})
	require.ErrorIs(t, tables.Rows("vInfo", func(*Row) error { return nil }), ErrTooLarge)
}

// FuzzCSV checks that no file stops the reader, and that it returns every row that a writer of CSV wrote.
func FuzzCSV(f *testing.F) {
	f.Add([]byte("VM,Memory\n\"a\",1\n"))
	f.Add(encoded("VM;Memory\n1;2\n"))
	f.Add([]byte("\xef\xbb\xbfa\tb"))
	f.Fuzz(func(_ *testing.T, file []byte) {
		_ = ReadCSV(bytes.NewReader(file), func(r *Row) error {
			for i := range r.Len() + 1 {
				_ = r.Text(i)
			}
			return nil
		})
	})
}

// FuzzSheet checks that no sheet and no shared texts stop the reader.
func FuzzSheet(f *testing.F) {
	f.Add(`<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c></row></sheetData></worksheet>`, `<sst><si><t>VM</t></si></sst>`)
	f.Add(`<sheetData><row><c t="inlineStr"><is><t>&#65;_x0041_</t></is></c><c/></row></sheetData>`, `<sst/>`)
	f.Add(`<!-- -- > --><?x?><row/><c r='B1'/>`, `<si><rPh><t>a</t></rPh></si>`)
	f.Fuzz(func(t *testing.T, sheet, shared string) {
		parts := minimal(sheet)
		parts["xl/sharedStrings.xml"] = shared
		w, err := opened(t, parts, fuzzLimits)
		require.NoError(t, err)
		_ = w.Rows("vInfo", func(r *Row) error {
			for i := range r.Len() + 1 {
				_ = r.Text(i)
			}
			return nil
		})
	})
}

// fuzzLimits are reached within milliseconds.
var fuzzLimits = Limits{Unpacked: 1 << 20, Shared: 1 << 18}

// readAll opens a workbook and reads all of its sheets.
func readAll(file []byte) {
	w, err := OpenWorkbook(context.Background(), bytes.NewReader(file), int64(len(file)), fuzzLimits)
	if err != nil {
		return
	}
	_ = w.Created()
	for _, name := range w.Names() {
		_ = w.Rows(name, func(r *Row) error {
			for i := range r.Len() + 1 {
				_ = r.Text(i)
			}
			return nil
		})
	}
}

// FuzzWorkbook checks that no file stops the reader. The parts of the first seed are not compressed: a changed byte of a compressed part
// is hardly ever more than a part that cannot be unpacked.
func FuzzWorkbook(f *testing.F) {
	parts := minimal(`<sheetData><row><c t="s"><v>1</v></c></row></sheetData>`)
	f.Add(packed(f, parts, zip.Store))
	f.Add(packed(f, parts, zip.Deflate))
	f.Add([]byte("PK\x03\x04"))
	f.Fuzz(func(_ *testing.T, file []byte) { readAll(file) })
}

// FuzzContents checks that no description of a workbook stops the reader.
func FuzzContents(f *testing.F) {
	parts := minimal(`<sheetData><row><c t="s"><v>1</v></c></row></sheetData>`)
	f.Add(parts["xl/workbook.xml"], parts["xl/_rels/workbook.xml.rels"], parts["docProps/core.xml"])
	f.Add(`<workbook><sheets><sheet name="a" id="1"/><sheet name="a" id="1"/></sheets></workbook>`,
		`<Relationships><Relationship Id="1" Target="worksheets/../worksheets/sheet1.xml"/><Relationship Id="2" Type="/sharedStrings" Target="workbook.xml"/></Relationships>`, `<created/>`)
	f.Fuzz(func(t *testing.T, workbook, relationships, properties string) {
		parts["xl/workbook.xml"], parts["xl/_rels/workbook.xml.rels"], parts["docProps/core.xml"] = workbook, relationships, properties
		readAll(packed(t, parts, zip.Store))
	})
}
