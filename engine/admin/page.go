package admin

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"html/template"
	"net/http"
	"slices"
)

const htmlText = "text/html; charset=utf-8"

// A statusPage shows clusters and endpoints to people. It works without scripts.
type statusPage struct {
	view    View
	state   State
	version Version
	form    *template.Template
	policy  string
}

// newStatusPage returns the page. Nothing but its own style sheet may have an effect in it.
func newStatusPage(o Options) *statusPage {
	sum := sha256.Sum256([]byte(pageStyle))
	return &statusPage{
		view: o.View, state: o.State, version: o.Version,
		form: template.Must(template.New("page").Parse(pageForm)),
		policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
			"'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
	}
}

func (p *statusPage) serve(w http.ResponseWriter, _ *http.Request) {
	clusters := slices.SortedFunc(slices.Values(p.view.Clusters()), func(a, b Cluster) int { return cmp.Compare(a.Name, b.Name) })
	_, why := p.state.Ready()
	var text bytes.Buffer
	err := p.form.Execute(&text, map[string]any{
		"Version": p.version, "State": cmp.Or(why, "serving"), "Clusters": clusters, "Style": template.CSS(pageStyle),
	})
	if err != nil { // a fault of ours
		refuse(w, "/", err)
		return
	}
	w.Header().Set("Content-Security-Policy", p.policy)
	write(w, http.StatusOK, htmlText, text.String())
}

const pageStyle = `body{font:14px/1.5 system-ui,sans-serif;margin:2em;color-scheme:light dark}
table{border-collapse:collapse}th,td{padding:.2em .8em;border-bottom:1px solid #8886;text-align:left}
td.n{text-align:right;font-variant-numeric:tabular-nums}td.bad{font-weight:bold;color:#c33}`

const pageForm = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>millrace</title>
<style>{{.Style}}</style>
</head>
<body>
<h1>millrace</h1>
<p>{{.State}}; version {{.Version.Version}}, process {{.Version.PID}}</p>
<table>
<thead><tr><th>cluster</th><th>algorithm</th><th>endpoint</th><th>address</th><th>origin</th><th>state</th><th>health</th><th>circuit</th><th>weight</th><th>priority</th><th>active</th><th>latency, ms</th><th>requests</th><th>failures</th></tr></thead>
<tbody>
{{- range $c := .Clusters}}
{{- range .Endpoints}}
<tr><td>{{$c.Name}}</td><td>{{$c.Algorithm}}</td><td>{{.URL}}</td><td>{{.Address}}</td><td>{{.Origin}}</td>
{{- ""}}<td{{if ne .State "enabled"}} class="bad"{{end}}>{{.State}}</td><td{{if eq .Health "unhealthy"}} class="bad"{{end}}>{{.Health}}</td>
{{- ""}}<td{{if ne .Circuit "closed"}} class="bad"{{end}}>{{.Circuit}}</td><td class="n">{{.Weight}}</td><td class="n">{{.Priority}}</td>
{{- ""}}<td class="n">{{.Active}}</td><td class="n">{{printf "%.1f" .EWMA}}</td><td class="n">{{.Requests}}</td><td class="n">{{.Failures}}</td></tr>
{{- else}}
<tr><td>{{$c.Name}}</td><td>{{$c.Algorithm}}</td><td colspan="12">no endpoints</td></tr>
{{- end}}
{{- end}}
</tbody>
</table>
</body>
</html>
`
