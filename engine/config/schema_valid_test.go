package config

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gopkg.in/yaml.v3"
)

// A validator holds documents against a JSON Schema. It knows the keywords that Schema
// writes, and reports others, so that none goes unchecked.
type validator struct{ root map[string]any }

func newValidator(t *testing.T) *validator {
	t.Helper()
	root, err := schemaOnce()
	if err != nil {
		t.Fatal(err)
	}
	return &validator{root}
}

// schemaOnce is the decoded schema, which nobody changes.
var schemaOnce = sync.OnceValues(func() (root map[string]any, err error) {
	text, err := Schema()
	if err == nil {
		err = json.Unmarshal(text, &root)
	}
	return root, err
})

// refuses returns why the file is not valid, or "".
func (v *validator) refuses(t *testing.T, file string) string {
	t.Helper()
	var doc any
	if err := yaml.Unmarshal([]byte(file), &doc); err != nil {
		t.Fatalf("%v in\n%s", err, file)
	}
	return v.check(v.root, asJSON(doc), "$")
}

// asJSON turns what YAML gives into what JSON would.
func asJSON(v any) any {
	switch v := v.(type) {
	case int:
		return float64(v)
	case int64:
		return float64(v)
	case uint64:
		return float64(v)
	case time.Time:
		return v.String()
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = asJSON(v[i])
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for k := range v {
			out[k] = asJSON(v[k])
		}
		return out
	}
	return v
}

// annotations say nothing about validity.
var annotations = strings.Fields("$schema $defs title description default examples")

func (v *validator) check(schema map[string]any, doc any, at string) string {
	for keyword, want := range schema {
		why := ""
		if !slices.Contains(annotations, keyword) {
			why = v.keyword(keyword, want, doc, at)
		}
		switch properties, _ := schema["properties"].(map[string]any); {
		case why != "":
			return why
		case keyword == "additionalProperties":
			if why := v.others(properties, want, doc, at); why != "" {
				return why
			}
		}
	}
	return ""
}

func (v *validator) keyword(keyword string, want, doc any, at string) string {
	switch keyword {
	case "anyOf", "oneOf", "not":
		return v.combination(keyword, want, doc, at)
	case "$ref":
		def := strings.TrimPrefix(want.(string), "#/$defs/")
		return v.check(v.root["$defs"].(map[string]any)[def].(map[string]any), doc, at)
	case "const":
		return v.keyword("enum", []any{want}, doc, at)
	case "enum":
		if !slices.ContainsFunc(want.([]any), func(k any) bool { return reflect.DeepEqual(k, doc) }) {
			return fmt.Sprintf("%s: not one of %v", at, want)
		}
		return ""
	case "type":
		if kinds, ok := want.([]any); want != kindOf(doc) && !(ok && slices.Contains(kinds, any(kindOf(doc)))) && !isWhole(want, doc) {
			return fmt.Sprintf("%s: not %v", at, want)
		}
		return ""
	}
	switch doc := doc.(type) {
	case string:
		return checkText(keyword, want, doc, at)
	case float64:
		return checkNumber(keyword, want, doc, at)
	case []any:
		return v.checkList(keyword, want, doc, at)
	case map[string]any:
		return v.checkMapping(keyword, want, doc, at)
	}
	return known(keyword, at)
}

func (v *validator) combination(keyword string, want, doc any, at string) string {
	if keyword == "not" {
		if v.check(want.(map[string]any), doc, at) == "" {
			return at + ": is what it must not be"
		}
		return ""
	}
	var whys []string
	for _, s := range want.([]any) {
		if why := v.check(s.(map[string]any), doc, at); why != "" {
			whys = append(whys, why)
		}
	}
	switch met := len(want.([]any)) - len(whys); {
	case met == 0:
		return at + ": none of {" + strings.Join(whys, "; ") + "}"
	case met > 1 && keyword == "oneOf":
		return at + ": more than one alternative"
	}
	return ""
}

func kindOf(doc any) string {
	switch doc.(type) {
	case nil:
		return "null"
	case string:
		return "string"
	case float64:
		return "number"
	case bool:
		return "boolean"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return fmt.Sprintf("%T", doc)
}

func isWhole(want, doc any) bool {
	n, ok := doc.(float64)
	return want == "integer" && ok && n == float64(int64(n))
}

func checkText(keyword string, want any, doc, at string) string {
	switch keyword {
	case "pattern":
		if !regexp.MustCompile(want.(string)).MatchString(doc) {
			return fmt.Sprintf("%s: %q does not match %s", at, doc, want)
		}
	case "minLength":
		if float64(len([]rune(doc))) < want.(float64) {
			return at + ": too short"
		}
	default:
		return known(keyword, at)
	}
	return ""
}

func checkNumber(keyword string, want any, doc float64, at string) string {
	limit, _ := want.(float64)
	switch {
	case keyword == "minimum" && doc < limit, keyword == "maximum" && doc > limit, keyword == "exclusiveMinimum" && doc <= limit:
		return fmt.Sprintf("%s: %s is %v", at, keyword, want)
	}
	return known(keyword, at)
}

func (v *validator) checkList(keyword string, want any, doc []any, at string) string {
	switch keyword {
	case "items":
		for i, item := range doc {
			if why := v.check(want.(map[string]any), item, index(at, i)); why != "" {
				return why
			}
		}
		return ""
	case "minItems":
		if float64(len(doc)) < want.(float64) {
			return at + ": too few items"
		}
		return ""
	}
	return known(keyword, at)
}

func (v *validator) checkMapping(keyword string, want any, doc map[string]any, at string) string {
	switch keyword {
	case "properties":
		for name, s := range want.(map[string]any) {
			if value, ok := doc[name]; ok {
				if why := v.check(s.(map[string]any), value, join(at, name)); why != "" {
					return why
				}
			}
		}
	case "propertyNames":
		for name := range doc {
			if why := v.check(want.(map[string]any), name, at); why != "" {
				return why
			}
		}
	case "required":
		return missing(want, doc, at)
	case "dependentRequired":
		for name, others := range want.(map[string]any) {
			if _, ok := doc[name]; ok && missing(others, doc, at) != "" {
				return missing(others, doc, at)
			}
		}
	case "minProperties", "maxProperties":
		if n := float64(len(doc)); keyword == "minProperties" && n < want.(float64) || keyword == "maxProperties" && n > want.(float64) {
			return at + ": " + keyword
		}
	default:
		return known(keyword, at)
	}
	return ""
}

func missing(names any, doc map[string]any, at string) string {
	for _, n := range names.([]any) {
		if _, ok := doc[n.(string)]; !ok {
			return at + ": no " + n.(string)
		}
	}
	return ""
}

// others holds the keys that properties does not name against additionalProperties.
func (v *validator) others(properties map[string]any, want, doc any, at string) string {
	keys, _ := doc.(map[string]any)
	for name, value := range keys {
		if properties[name] != nil {
			continue
		}
		s, isSchema := want.(map[string]any)
		if !isSchema {
			return at + ": unknown key " + name
		}
		if why := v.check(s, value, join(at, name)); why != "" {
			return why
		}
	}
	return ""
}

// known lets a keyword pass that is about values of another kind.
func known(keyword, at string) string {
	all := strings.Fields("pattern minLength minimum maximum exclusiveMinimum items minItems properties propertyNames required dependentRequired minProperties maxProperties additionalProperties")
	if slices.Contains(all, keyword) {
		return ""
	}
	return at + ": the validator does not know " + keyword
}
