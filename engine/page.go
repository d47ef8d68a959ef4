package engine

import (
	"bytes"
	"html"
	"strconv"

	"millrace/engine/h1"
)

// explain is what an answer of our own says: the reason as a line of text, or a page if
// the cluster intercepts errors.
func (x *exchange) explain(f failure) content {
	c := content{kind: plainText, body: f.reason + "\n", retryAfter: f.retryAfter}
	if x.cluster != nil && x.cluster.intercept {
		c.kind, c.body = x.page(f.status, f.reason)
	}
	return c
}

// intercept answers an error of the endpoint with a page of our own, and drops its body.
// The connection is kept only if all of that body is here.
func (x *exchange) intercept(r *h1.Response) {
	x.frame(r)
	in := &x.up.in
	switch x.respBody {
	case h1.BodyNone:
		x.respReuse = x.respReuse && len(in.bytes) == 0
	case h1.BodyLength:
		x.respReuse = x.respReuse && int64(len(in.bytes)) == x.respLeft
	default:
		x.respReuse = false
	}
	x.rechunk = false
	status := r.Status // r is of the worker's, and of no use behind this
	x.leaveUpstream()
	kind, body := x.page(status, "")
	x.answer(status, content{kind: kind, body: body})
}

// page is the page for a status: JSON for a client that asks for it and not for HTML.
func (x *exchange) page(status int, reason string) (kind, body string) {
	title := h1.StatusText(status)
	if title == "" {
		title = "Error"
	}
	if x.prefersJSON() {
		return "application/json", `{"status":` + strconv.Itoa(status) + `,"error":` + strconv.Quote(title) + "}\n"
	}
	heading := strconv.Itoa(status) + " " + html.EscapeString(title)
	body = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + heading + "</title></head>\n<body><h1>" + heading + "</h1>"
	if reason != "" {
		body += "<p>" + html.EscapeString(reason) + "</p>"
	}
	return "text/html; charset=utf-8", body + "</body></html>\n"
}

// prefersJSON reports whether the client accepts JSON and does not name HTML, as programs
// do and browsers do not.
func (x *exchange) prefersJSON() bool {
	r := &x.req
	json := false
	for i := range r.Fields {
		if r.Fields[i].ID != h1.FieldOther || !equalFold(r.Name(i), "accept") {
			continue
		}
		v := bytes.ToLower(r.Value(i))
		if bytes.Contains(v, []byte("text/html")) {
			return false
		}
		json = json || bytes.Contains(v, []byte("application/json")) || bytes.Contains(v, []byte("+json"))
	}
	return json
}
