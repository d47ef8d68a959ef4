package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A Template is text with variables in double braces, parsed.
type Template struct {
	// Text is as written.
	Text string
	// Parts are evaluated in order and joined. Neighbours are never both literal, and
	// no literal is empty.
	Parts []Part
}

// A Part is a literal or a variable.
type Part struct {
	// Literal is the text if Variable is zero.
	Literal  string
	Variable Variable
}

// ParseTemplate parses text such as "{{remote.ip}}:{{remote.port}}".
func ParseTemplate(text string) (Template, error) {
	t := Template{Text: text}
	for rest := text; rest != ""; {
		literal, after, ok := strings.Cut(rest, "{{")
		if literal != "" {
			t.Parts = append(t.Parts, Part{Literal: literal})
		}
		if !ok {
			break
		}
		name, next, closed := strings.Cut(after, "}}")
		if !closed {
			return Template{}, errors.New("{{ without its }}")
		}
		v, err := ParseVariable(strings.Trim(name, " "))
		if err != nil {
			return Template{}, err
		}
		t.Parts = append(t.Parts, Part{Variable: v})
		rest = next
	}
	return t, nil
}

// String returns the template as written.
func (t Template) String() string { return t.Text }

// Uses reports whether a variable of the template satisfies f.
func (t Template) Uses(f func(Variable) bool) bool {
	for _, p := range t.Parts {
		if p.Variable.Kind != NoVariable && f(p.Variable) {
			return true
		}
	}
	return false
}

// A Variable is a fact about a request.
type Variable struct {
	Kind VariableKind
	// Field is the lower-case field name of RequestHeader, else empty.
	Field string
}

// A VariableKind says which fact; zero is none.
type VariableKind uint8

// The variables, with their names in the file.
const (
	NoVariable      VariableKind = iota
	RequestMethod                // request.method
	RequestURI                   // request.uri: path and query as received
	RequestURIPath               // request.uri.path
	RequestURIQuery              // request.uri.query, without the question mark
	RequestHost                  // request.host
	RequestScheme                // request.scheme
	RequestVersion               // request.version
	RequestHeader                // request.header.NAME
	RemoteIP                     // remote.ip, after client_ip_from_header
	RemotePort                   // remote.port
	ServerIP                     // server.ip
	ServerPort                   // server.port
	RequestID                    // request.id
)

var variableNames = [...]string{
	RequestMethod:   "request.method",
	RequestURI:      "request.uri",
	RequestURIPath:  "request.uri.path",
	RequestURIQuery: "request.uri.query",
	RequestHost:     "request.host",
	RequestScheme:   "request.scheme",
	RequestVersion:  "request.version",
	RequestHeader:   "request.header.NAME",
	RemoteIP:        "remote.ip",
	RemotePort:      "remote.port",
	ServerIP:        "server.ip",
	ServerPort:      "server.port",
	RequestID:       "request.id",
}

const headerVariable = "request.header."

// ParseVariable returns the variable called name, written without braces.
func ParseVariable(name string) (Variable, error) {
	if field, ok := strings.CutPrefix(name, headerVariable); ok {
		if !isToken(field) {
			return Variable{}, fmt.Errorf("%s names no field; write request.header.NAME with the name of a request header", shown(name))
		}
		return Variable{Kind: RequestHeader, Field: strings.ToLower(field)}, nil
	}
	for kind, known := range variableNames {
		if known == name && kind != int(NoVariable) && kind != int(RequestHeader) {
			return Variable{Kind: VariableKind(kind)}, nil
		}
	}
	return Variable{}, fmt.Errorf("unknown variable %s%s", shown(name), hint(name, variableNames[RequestMethod:]))
}

// plainVariables returns the names of all variables but those of request fields.
func plainVariables() []string {
	names := slices.Clone(variableNames[NoVariable+1:])
	return slices.Delete(names, int(RequestHeader)-1, int(RequestHeader))
}

// String returns the name of the variable in the file.
func (v Variable) String() string {
	if v.Kind == RequestHeader {
		return headerVariable + v.Field
	}
	return variableNames[v.Kind]
}

// isToken reports whether s can be the name of a field: RFC 9110, 5.6.2.
func isToken(s string) bool {
	for i := range len(s) {
		if !isAlphanumeric(s[i]) && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(s[i])) {
			return false
		}
	}
	return s != ""
}
