package main

import (
	"go/ast"
	"go/token"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// hotList is the page that lists the files on the path of a request: every
// `folder/file.go` in code quotes under a heading with the word "hot".
const hotList = "docs/concurrency.md"

// slow are calls and types with no place on that path: they lock, ask the
// kernel for the time, write a log, or allocate.
var slow = map[string][]string{
	"time": {"Now", "Since", "Until", "After", "AfterFunc", "Sleep", "NewTimer", "NewTicker", "Tick"},
	"sync": {"Mutex", "RWMutex", "Cond", "WaitGroup", "Map"},
	"fmt":  nil, // nil = everything
	"log":  nil,
	"slog": nil,
}

func TestHotFiles(t *testing.T) {
	text, err := os.ReadFile(path.Join(root, hotList))
	if err != nil {
		t.Fatal(err)
	}
	files := hotFiles(string(text))
	if len(files) == 0 {
		t.Fatalf("%s lists no hot file", hotList)
	}
	for _, name := range files {
		for _, fault := range slowParts(parseFile(t, name)) {
			t.Error(fault)
		}
	}
}

// hotFiles returns the files that the page lists.
func hotFiles(page string) (files []string) {
	quoted := regexp.MustCompile("`([a-z0-9_]+(?:/[a-z0-9_]+)*\\.go)`")
	hot := false
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "#") {
			words := regexp.MustCompile(`[a-z]+`).FindAllString(strings.ToLower(line), -1)
			hot = slices.Contains(words, "hot")
		}
		if !hot {
			continue
		}
		for _, match := range quoted.FindAllStringSubmatch(line, -1) {
			files = append(files, match[1])
		}
	}
	return files
}

// slowParts returns what in f does not belong into a hot file.
func slowParts(f sourceFile) (faults []string) {
	ast.Inspect(f.tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if from, ok := n.X.(*ast.Ident); ok && isSlow(from.Name, n.Sel.Name) {
				faults = append(faults, f.at(n)+": "+from.Name+"."+n.Sel.Name+" in a hot file")
			}
		case *ast.SendStmt, *ast.SelectStmt, *ast.GoStmt:
			faults = append(faults, f.at(n)+": a channel or goroutine in a hot file")
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				faults = append(faults, f.at(n)+": a channel in a hot file")
			}
		}
		return true
	})
	return faults
}

func isSlow(from, name string) bool {
	names, listed := slow[from]
	return listed && (names == nil || slices.Contains(names, name))
}

func TestHotFilesFindFaults(t *testing.T) {
	f := func(text string, want int) {
		t.Helper()
		if got := slowParts(parseText(t, "x.go", "package x\n"+text)); len(got) != want {
			t.Errorf("%q: got %q, want %d faults", text, got, want)
		}
	}
	f("func f() { _ = time.Now() }", 1)
	f("func f() { _ = time.Second }", 0)
	f("var m sync.Mutex", 1)
	f("func f() { fmt.Println(1) }", 1)
	f("func f() { slog.Info(``) }", 1)
	f("func f(c chan int) { c <- 1 }", 1)
	f("func f(c chan int) { <-c }", 1)
	f("func f() { go f() }", 1)
	f("var n atomic.Int64", 0)
}

func TestHotFilesAreRead(t *testing.T) {
	page := "# Concurrency\n`a/cold.go`\n## Hot files\n* `engine/a.go`, `lb/b.go`: no locks\n## Shotgun\n`c/d.go`\n"
	if got := hotFiles(page); !slices.Equal(got, []string{"engine/a.go", "lb/b.go"}) {
		t.Errorf("got %q", got)
	}
}
