package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"text/template"
	"time"
)

// Forms of the configuration. Every answer says by which of them it came.
const (
	formA = "a"
	formB = "b"
)

// formText is the configuration. Form b has other upstreams, another algorithm and a
// listener more. Idle connections to upstreams end soon, so that none is left at the end.
var formText = template.Must(template.New("millrace.yaml").Parse(`
workers: 2
listeners: ["{{.Address}}"{{if .B}}, "{{.Extra}}"{{end}}]
admin: {address: "{{.Admin}}"}
limits: {connections: {{.Permits}}}
proxy_concurrent_conns: {{.Permits}}
routes:
{{- range .Clusters}}
  - {prefix: /{{.}}, cluster: {{.}}}
{{- end}}
clusters:
{{- range .Clusters}}
  {{.}}:
    algorithm: {{if $.B}}random{{else}}round_robin{{end}}
    {{- if eq . "faulty"}}
    circuit_breaker: false
    {{- end}}
    request_header: ["X-Form: {{$.Form}}"]
    response_header: ["X-Form: {{$.Form}}"]
    upstreams:
    {{- range $.Upstreams}}
      - {url: "http://{{.}}", idle_timeout: 1s}
    {{- end}}
{{- end}}
`))

// formBlanks are what formText is filled in with.
type formBlanks struct {
	Address, Extra, Admin string
	Permits               int
	Clusters, Upstreams   []string
	Form                  string
}

// B reports whether this is form b.
func (d formBlanks) B() bool { return d.Form == formB }

// A rewriter changes the configuration file of a running proxy. One goroutine at a time
// may use it.
type rewriter struct {
	path    string
	texts   map[string][]byte // by form
	current string
	changes int
	rng     *rand.Rand
}

func newRewriter(path string, texts map[string][]byte, seed uint64) *rewriter {
	return &rewriter{path: path, texts: texts, rng: rand.New(rand.NewPCG(seed, 2))}
}

// write makes the file that of a form: by a rename, or in place.
func (w *rewriter) write(form string) error {
	if form != w.current {
		w.changes++
	}
	w.current = form
	if w.rng.IntN(2) == 0 {
		return os.WriteFile(w.path, w.texts[form], 0o600)
	}
	if err := os.WriteFile(w.path+".new", w.texts[form], 0o600); err != nil {
		return err
	}
	return os.Rename(w.path+".new", w.path)
}

// run goes on changing the file until stop is closed. Now and then nothing but its date
// changes.
func (w *rewriter) run(stop <-chan struct{}, every time.Duration) error {
	for {
		select {
		case <-stop:
			return nil
		case <-time.After(every/2 + time.Duration(w.rng.Int64N(int64(every)))):
		}
		form := formA
		if w.current == formA && w.rng.IntN(8) > 0 {
			form = formB
		}
		if err := w.write(form); err != nil {
			return err
		}
	}
}

// render returns the text of both forms.
func render(d formBlanks, upstreams []string) (map[string][]byte, error) {
	texts := map[string][]byte{}
	for form, which := range map[string][]string{formA: upstreams[:2], formB: upstreams[1:]} {
		d.Form, d.Upstreams = form, which
		var text bytes.Buffer
		if err := formText.Execute(&text, d); err != nil {
			return nil, fmt.Errorf("form %s: %w", form, err)
		}
		texts[form] = text.Bytes()
	}
	return texts, nil
}
