package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// root is the repository as seen from this package.
const root = "../.."

// A sourceFile is one parsed Go file of the repository.
type sourceFile struct {
	path   string // from the root
	folder string // its package, from the root
	fset   *token.FileSet
	tree   *ast.File
}

// imports returns the paths that the file imports.
func (f sourceFile) imports() []string {
	var names []string
	for _, spec := range f.tree.Imports {
		name, _ := strconv.Unquote(spec.Path.Value)
		names = append(names, name)
	}
	return names
}

// lines returns how many lines node has.
func (f sourceFile) lines(node ast.Node) int {
	return f.fset.Position(node.End()).Line - f.fset.Position(node.Pos()).Line + 1
}

// at returns the position of node as "path:line".
func (f sourceFile) at(node ast.Node) string {
	return f.path + ":" + strconv.Itoa(f.fset.Position(node.Pos()).Line)
}

// foreign reports whether a folder holds nothing of ours: it is hidden, built,
// or another module.
func foreign(name string) bool {
	if strings.HasPrefix(path.Base(name), ".") {
		return name != ".ci"
	}
	_, err := os.Stat(path.Join(root, name, "go.mod"))
	return err == nil || name == "bin" || name == "bench/results"
}

// repositoryFiles returns the path of every file of the repository, from the
// root.
func repositoryFiles(t *testing.T) []string {
	t.Helper()
	var paths []string
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(filepath.ToSlash(p), root+"/")
		if d.IsDir() {
			if p != root && foreign(name) {
				return fs.SkipDir
			}
			return nil
		}
		paths = append(paths, name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// productFiles parses every Go file of the repository that is no test,
// whatever system it is for.
func productFiles(t *testing.T) []sourceFile {
	t.Helper()
	var files []sourceFile
	for _, name := range repositoryFiles(t) {
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			files = append(files, parseFile(t, name))
		}
	}
	if len(files) == 0 {
		t.Fatal("no Go file found")
	}
	return files
}

func parseFile(t *testing.T, name string) sourceFile {
	t.Helper()
	text, err := os.ReadFile(path.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return parseText(t, name, string(text))
}

func parseText(t *testing.T, name, text string) sourceFile {
	t.Helper()
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return sourceFile{name, path.Dir(name), fset, tree}
}
