package main

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// A layer says what the product files of one package may import.
type layer struct {
	name    string // folder
	ours    string // packages of this module, blank-separated
	modules string // third-party modules, blank-separated
}

// layers has one row a package. A row names only rows above it, so imports
// point one way.
var layers = []layer{
	{"ring", "", "github.com/cespare/xxhash/v2"},
	{"netpoll", "", "github.com/panjf2000/gnet/v2 golang.org/x/sys"},
	{"pool", "", ""},
	{"lb", "ring", ""},
	{"engine/config", "", "gopkg.in/yaml.v3"},
	{"engine/h1", "", "github.com/valyala/fasthttp"},
	{"engine/route", "", ""},
	{"engine/stats", "", "github.com/VictoriaMetrics/metrics"},
	{"engine/health", "", ""},
	{"engine/beacon", "", ""},
	{"engine/discovery", "", "github.com/miekg/dns"},
	{"engine/admin", "engine/stats", ""},
	{"engine", "engine/beacon engine/config engine/discovery engine/h1 engine/health engine/route engine/stats lb netpoll pool ring", ""},
	{"cmd/millrace", "engine engine/admin engine/beacon engine/config", ""},
}

// quiet packages work on values alone, so their tests need no socket and no file.
var quiet = []string{"ring", "pool", "lb", "engine/h1", "engine/route", "engine/stats"}

// loud are the standard packages that quiet ones do without.
var loud = []string{"net", "net/http", "os", "os/exec", "os/signal", "syscall"}

// httpUsers may import net/http. None of them is on the request path.
var httpUsers = []string{"engine/admin", "engine/health", "cmd/millrace"}

// unowned reports whether folder is outside of the table: bench may import
// anything, and nothing imports it.
func unowned(folder string) bool {
	return folder == "bench" || strings.HasPrefix(folder, "bench/")
}

func findLayer(rows []layer, name string) int {
	return slices.IndexFunc(rows, func(l layer) bool { return l.name == name })
}

func TestLayersListEveryPackage(t *testing.T) {
	folders := map[string]bool{}
	for _, f := range productFiles(t) {
		folders[f.folder] = !unowned(f.folder)
	}
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		if folders[folder] && findLayer(layers, folder) < 0 {
			t.Errorf("package %s has no row in the table", folder)
		}
	}
	for _, row := range layers {
		if !folders[row.name] {
			t.Errorf("%s has a row in the table and is no package", row.name)
		}
	}
}

func TestLayersHoldImports(t *testing.T) {
	for _, f := range productFiles(t) {
		row := findLayer(layers, f.folder)
		if row < 0 {
			continue // found by the test above, or free
		}
		for _, name := range f.imports() {
			if why := layers[row].refuses(name); why != "" {
				t.Errorf("%s imports %s: %s", f.path, name, why)
			}
		}
	}
}

// refuses returns why a file of the layer may not import name, or "".
func (l layer) refuses(name string) string {
	first, _, _ := strings.Cut(name, "/")
	ours, isOurs := strings.CutPrefix(name, "millrace/")
	switch {
	case isOurs && !slices.Contains(strings.Fields(l.ours), ours):
		return "not among the packages that the table allows to " + l.name
	case isOurs:
		return ""
	case strings.Contains(first, ".") && !slices.ContainsFunc(strings.Fields(l.modules), func(module string) bool {
		return name == module || strings.HasPrefix(name, module+"/")
	}):
		return "not among the modules that the table allows to " + l.name
	case slices.Contains(quiet, l.name) && slices.Contains(loud, name):
		return l.name + " does no I/O"
	case name == "net/http" && !slices.Contains(httpUsers, l.name):
		return "net/http stays off the request path"
	}
	return ""
}

func TestLayersTable(t *testing.T) {
	owners := map[string]string{}
	for i, row := range layers {
		for _, ours := range strings.Fields(row.ours) {
			if findLayer(layers[:i], ours) < 0 {
				t.Errorf("%s may import %s, which does not stand above it", row.name, ours)
			}
		}
		// One importer a module: replacing it then touches one folder.
		for _, module := range strings.Fields(row.modules) {
			if owners[module] != "" {
				t.Errorf("%s and %s both import %s", owners[module], row.name, module)
			}
			owners[module] = row.name
		}
	}
}

func TestLayersRefuse(t *testing.T) {
	f := func(folder, name string, refused bool) {
		t.Helper()
		if got := layers[findLayer(layers, folder)].refuses(name); (got != "") != refused {
			t.Errorf("%s importing %s: %q, want a refusal: %v", folder, name, got, refused)
		}
	}
	f("lb", "millrace/ring", false)
	f("lb", "millrace/pool", true)
	f("ring", "millrace/lb", true)
	f("netpoll", "github.com/panjf2000/gnet/v2/pkg/netpoll", false)
	f("netpoll", "github.com/panjf2000/gnet/v2x", true)
	f("engine", "github.com/valyala/fasthttp", true)
	f("engine", "millrace/cmd/millrace", true)
	f("engine", "net/http", true)
	f("engine/admin", "net/http", false)
	f("engine/h1", "net", true)
	f("engine/config", "net", false)
}
