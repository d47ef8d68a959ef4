package admin

import (
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
)

// A resource is what one path has: a handler a method.
type resource map[string]http.HandlerFunc

// allow lists the methods for the Allow field.
func (r resource) allow() string {
	var methods []string
	for _, m := range [...]string{http.MethodGet, http.MethodHead, http.MethodPost} {
		if r.handler(m) != nil {
			methods = append(methods, m)
		}
	}
	return strings.Join(methods, ", ")
}

// handler returns the handler of a method, nil if it has none. Whoever serves
// GET serves HEAD; net/http leaves the body out.
func (r resource) handler(method string) http.HandlerFunc {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	return r[method]
}

func get(h http.HandlerFunc) resource { return resource{http.MethodGet: h} }

type handler struct{ paths map[string]resource }

func newHandler(o Options) *handler {
	return &handler{paths: map[string]resource{
		"/metrics": get(metrics(o.Stats, o.Log)),
		"/healthz": get(alive),
		"/livez":   get(alive),
		"/readyz":  get(ready(o.State)),
		"/version": get(version(o.Version)),
	}}
}

// ServeHTTP finds the resource of the path as it was written.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	found, ok := h.paths[r.URL.EscapedPath()]
	if !ok {
		refuse(w, http.StatusNotFound)
		return
	}
	serve := found.handler(r.Method)
	if serve == nil {
		w.Header().Set("Allow", found.allow())
		refuse(w, http.StatusMethodNotAllowed)
		return
	}
	if status := checkBody(w, r); status != 0 {
		refuse(w, status)
		return
	}
	serve(w, r)
}

// checkBody returns the status to refuse the body with, 0 if it is small
// enough. It is read here since nothing that is served so far wants one.
func checkBody(w http.ResponseWriter, r *http.Request) int {
	if r.ContentLength > bodyBytes {
		return http.StatusRequestEntityTooLarge
	}
	r.Body = http.MaxBytesReader(w, r.Body, bodyBytes)
	_, err := io.Copy(io.Discard, r.Body)
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return http.StatusRequestEntityTooLarge
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return http.StatusRequestTimeout
	}
	if err != nil {
		return http.StatusBadRequest
	}
	return 0
}
