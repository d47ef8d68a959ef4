package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const unitFolder = "configs/systemd"

// TestSystemdUnits has systemd itself read the units, with the built program in the place
// of the installed one.
func TestSystemdUnits(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("skipped: systemd-analyze is not installed")
	}
	dir := t.TempDir()
	args := []string{"verify", "--man=no"}
	for _, name := range []string{"millrace.service", "millrace.socket"} {
		text := strings.ReplaceAll(readText(t, unitFolder+"/"+name), "/usr/bin/millrace", binary)
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	cmd := exec.Command("systemd-analyze", args...)
	cmd.Env = append(os.Environ(), "SYSTEMD_LOG_LEVEL=notice")
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Contains(string(out), "millrace.") {
		t.Errorf("%v\n%s", err, out)
	}
}

// Each command line of the unit is one that the program knows.
func TestSystemdUnitRunsKnownVerbs(t *testing.T) {
	lines := regexp.MustCompile(`(?m)^Exec\w+=/usr/bin/millrace (\w+)(.*)$`).
		FindAllStringSubmatch(readText(t, unitFolder+"/millrace.service"), -1)
	if len(lines) == 0 {
		t.Fatal("the unit does not run millrace")
	}
	p := newPlace(t)
	for _, line := range lines {
		if r := p.execute(append([]string{line[1]}, append(strings.Fields(line[2]), "-h")...)...); r.code != 0 {
			t.Errorf("%s: %+v", line[0], r)
		}
	}
}
