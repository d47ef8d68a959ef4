package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"millrace/engine/config"
)

// doctored runs doctor on a file with this text.
func doctored(t *testing.T, text string, flags ...string) (code int, stdout, stderr string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "f.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs strings.Builder
	code = runDoctor(append([]string{"-config", file}, flags...), &out, &errs)
	return code, out.String(), errs.String()
}

// The beginnings of files in these tests.
const (
	doctorRoute  = "listeners: [\"127.0.0.1:8080\"]\nroutes: [{proxy: "
	doctorTidy   = doctorRoute + "{upstreams: [{url: http://127.0.0.1:9000, active_check: true}]}}]\naccess_log: {}\n"
	doctorChosen = doctorRoute + "\"http://{{request.header.x-to}}:80\"}]\n"
)

func TestDoctor(t *testing.T) {
	f := func(text string, code int, want string) {
		t.Helper()
		got, stdout, stderr := doctored(t, text)
		if got != code || !strings.Contains(stdout+stderr, want) || (code == doctorUnreadable) != (stdout == "") {
			t.Errorf("code %d, want %d and %q in\n%s%s", got, code, want, stdout, stderr)
		}
	}
	f(doctorTidy, doctorHealthy, "f.yaml: nothing to say\n")
	f(doctorRoute+"{keepalive: false, upstreams: [{url: http://127.0.0.1:9000, active_check: true}]}}]\naccess_log: {}\n", doctorHealthy, "f.yaml: errors: 0, warnings: 1, notes: 0\n")
	f(doctorChosen, doctorUnhealthy, "f.yaml:2:11: error: routes[0].proxy: SSRF: request.header.x-to")
	f(doctorChosen, doctorUnhealthy, "[ssrf]\n    fix: write the upstreams out")
	f("listners: []\n", doctorUnreadable, "f.yaml:1:1: listners: unknown key; did you mean listeners?")
}

func TestDoctorInJSON(t *testing.T) {
	f := func(text string, code int, ids ...string) {
		t.Helper()
		got, stdout, stderr := doctored(t, text, "-json")
		var findings []config.Finding
		if err := json.Unmarshal([]byte(stdout), &findings); err != nil || got != code || stderr != "" || findings == nil {
			t.Fatalf("code %d, want %d; %v in %s%s", got, code, err, stdout, stderr)
		}
		for i, id := range ids {
			if i >= len(findings) || findings[i].ID != id || findings[i].Line == 0 || findings[i].Fix == "" {
				t.Errorf("no %s in %s", id, stdout)
			}
		}
	}
	f(doctorTidy, doctorHealthy)
	f(doctorChosen, doctorUnhealthy, "ssrf")
}

func TestDoctorWithoutFile(t *testing.T) {
	var out, errs strings.Builder
	if code := runDoctor([]string{"-config", filepath.Join(t.TempDir(), "none.yaml")}, &out, &errs); code != doctorUnreadable || !strings.Contains(errs.String(), "none.yaml") {
		t.Errorf("code %d, %s", code, errs.String())
	}
	if code := runDoctor([]string{"-frobnicate"}, &out, &errs); code != 2 {
		t.Errorf("code %d", code)
	}
}

func TestSchema(t *testing.T) {
	var out, errs strings.Builder
	if code := dispatch([]string{"schema"}, &out, &errs); code != 0 || !json.Valid([]byte(out.String())) || errs.Len() > 0 {
		t.Errorf("code %d, %s", code, errs.String())
	}
	if code := runSchema([]string{"surplus"}, &out, &errs); code != 2 {
		t.Errorf("code %d", code)
	}
}
