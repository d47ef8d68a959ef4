package main

import (
	"go/ast"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// What one reader can hold: past these a function or file has two ideas.
const (
	functionLimit  = 70  // lines
	fileLimit      = 400 // lines
	parameterLimit = 4   // of one function
)

// meaningless names say nothing about what is in a file or package.
var meaningless = []string{"util", "utils", "helper", "helpers", "common", "misc", "types", "base", "manager"}

func TestSizes(t *testing.T) {
	for _, f := range productFiles(t) {
		for _, fault := range oversized(f) {
			t.Error(fault)
		}
	}
}

// oversized returns what in f is past a limit.
func oversized(f sourceFile) (faults []string) {
	if f.fset.File(f.tree.FileStart).LineCount() > fileLimit {
		faults = append(faults, f.path+": too long a file")
	}
	ast.Inspect(f.tree, func(n ast.Node) bool {
		d, ok := n.(*ast.FuncDecl)
		if !ok {
			return true
		}
		if f.lines(d) > functionLimit {
			faults = append(faults, f.at(d)+": "+d.Name.Name+" is too long")
		}
		if d.Type.Params.NumFields() > parameterLimit {
			faults = append(faults, f.at(d)+": "+d.Name.Name+" has too many parameters")
		}
		return true
	})
	return faults
}

func TestSizesFindFaults(t *testing.T) {
	f := func(text string, want int) {
		t.Helper()
		if got := oversized(parseText(t, "x.go", "package x\n"+text)); len(got) != want {
			t.Errorf("%.40q...: got %q, want %d faults", text, got, want)
		}
	}
	body := func(lines int) string { return "func f() {\n" + strings.Repeat("\t_ = 0\n", lines-2) + "}\n" }
	f(body(functionLimit), 0)
	f(body(functionLimit+1), 1)
	f(strings.Repeat("//\n", fileLimit-1), 0)
	f(strings.Repeat("//\n", fileLimit), 1)
	f("func f(a, b, c, d int) {}\n", 0)
	f("func f(a, b int, c, d string, e bool) {}\n", 1)
}

func TestNames(t *testing.T) {
	for _, name := range repositoryFiles(t) {
		if word := badName(name); word != "" {
			t.Errorf("%s: %q says nothing about what is in it", name, word)
		}
	}
}

// badName returns the meaningless word in the path name, or "".
func badName(name string) string {
	for _, word := range strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return strings.ContainsRune("/._-", r)
	}) {
		if slices.Contains(meaningless, word) {
			return word
		}
	}
	return ""
}

func TestNamesFindFaults(t *testing.T) {
	f := func(name, want string) {
		t.Helper()
		if got := badName(name); got != want {
			t.Errorf("badName(%q) = %q, want %q", name, got, want)
		}
	}
	f("engine/util/x.go", "util")
	f("engine/h1/types.go", "types")
	f("lb/pick_helpers_test.go", "helpers")
	f("engine/database.go", "")
	f("engine/h1/prototypes.go", "")
}

func TestNothingIsLeftForLater(t *testing.T) {
	words := []string{"TO" + "DO", "FIX" + "ME", "XX" + "X"}
	for _, name := range repositoryFiles(t) {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		text, err := os.ReadFile(path.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range words {
			if strings.Contains(string(text), word) {
				t.Errorf("%s says %s", name, word)
			}
		}
	}
}
