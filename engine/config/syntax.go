package config

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// document parses text into the mapping it must hold, or reports why not and returns nil.
func (d *decoder) document(text []byte) *yaml.Node {
	if !d.legible(text) {
		return nil
	}
	read := yaml.NewDecoder(bytes.NewReader(text))
	first, err := nextDocument(read)
	switch {
	case errors.Is(err, io.EOF):
		d.faultAt(mark{1, 1}, "", "the file is empty; it needs listeners and routes")
		return nil
	case err != nil:
		d.syntaxFault(text, err)
		return nil
	}
	second, err := nextDocument(read)
	switch {
	case err == nil:
		d.faultAt(position(second), "", "a second document begins here; a file holds one")
	case !errors.Is(err, io.EOF):
		d.syntaxFault(text, err)
	}
	return d.topMapping(first)
}

func (d *decoder) topMapping(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.DocumentNode && len(n.Content) == 1 {
		n = n.Content[0]
	}
	switch {
	case isNull(n):
		d.faultAt(mark{1, 1}, "", "the file is empty; it needs listeners and routes")
		return nil
	case n.Kind != yaml.MappingNode:
		d.faultAt(position(n), "", "%s where a mapping is expected; the file begins with keys such as listeners: and routes:", kindName(n))
		return nil
	}
	return n
}

// nextDocument returns the next document of the stream, or io.EOF.
// The parser is a port of a C library that panics on input it did not expect.
func nextDocument(read *yaml.Decoder) (n *yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			n, err = nil, errors.New("the parser gave up")
		}
	}()
	n = new(yaml.Node)
	return n, read.Decode(n)
}

// legible reports the first byte of text that no YAML file has.
func (d *decoder) legible(text []byte) bool {
	at := mark{1, 1}
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			d.faultAt(at, "", "not UTF-8 text")
			return false
		case r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0x7f:
			d.faultAt(at, "", "control character %#02x", r)
			return false
		}
		i += n
		at.column++
		if r == '\n' {
			at = mark{at.line + 1, 1}
		}
	}
	return true
}

// syntaxFault reports an error of the YAML parser.
func (d *decoder) syntaxFault(text []byte, err error) {
	line, message := 1, strings.TrimPrefix(err.Error(), "yaml: ")
	if m := lineOfError.FindStringSubmatch(message); m != nil {
		line, _ = strconv.Atoi(m[1])
		message = m[2]
	}
	switch {
	case strings.HasPrefix(message, "unknown anchor"):
		// The name is not shown: it is the beginning of an unquoted value.
		_, name, _ := strings.Cut(message, "'")
		name, _, _ = strings.Cut(name, "'")
		d.faultAt(find(text, "*"+name), "", "an alias without its anchor; put a value that begins with * in quotes")
		return
	case countedFromZero.MatchString(message):
		line++
	}
	if tab, ok := tabIndent(text, line); ok {
		d.faultAt(tab, "", "a tab in the indentation; YAML is indented with blanks")
		return
	}
	d.faultAt(mark{line: line}, "", "not valid YAML: %s", message)
}

// find returns the position of the first s in text.
func find(text []byte, s string) mark {
	before, _, _ := bytes.Cut(text, []byte(s))
	lastLine := before[bytes.LastIndexByte(before, '\n')+1:]
	return mark{bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(lastLine) + 1}
}

var (
	lineOfError = regexp.MustCompile(`(?s)^line (\d+): (.*)$`)
	// The parser (not the scanner below it) gives lines from 0 in these messages.
	countedFromZero = regexp.MustCompile(`^did not find expected (key|node content|<|'-'|',')`)
)

// tabIndent finds a tab that indents the line or one of its neighbours.
func tabIndent(text []byte, line int) (mark, bool) {
	for i, l := range bytes.Split(text, []byte("\n")) {
		indent := l[:len(l)-len(bytes.TrimLeft(l, " \t"))]
		if t := bytes.IndexByte(indent, '\t'); t >= 0 && i+1 >= line-1 && i+1 <= line+1 {
			return mark{i + 1, t + 1}, true
		}
	}
	return mark{}, false
}
