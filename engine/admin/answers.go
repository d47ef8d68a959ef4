package admin

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"millrace/engine/stats"
)

const (
	plainText      = "text/plain; charset=utf-8"
	prometheusText = "text/plain; version=0.0.4"
	jsonText       = "application/json"
)

// metrics answers a scrape. An error of the client's connection is the
// client's; it is told at debug level only.
func metrics(registry *stats.Registry, log *slog.Logger) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", prometheusText)
		if r.Method == http.MethodHead {
			return
		}
		if err := registry.WritePrometheus(w); err != nil {
			log.Debug("scrape ended early", "error.message", err.Error())
		}
	}
}

// alive answers for as long as the process can answer at all, also while it
// drains.
func alive(w http.ResponseWriter, _ *http.Request) { write(w, http.StatusOK, plainText, "ok\n") }

// ready tells whether new requests are welcome. The health of endpoints has no
// part in it: a proxy taken out of service because they are down could not say
// so to anybody.
func ready(state State) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if ok, why := state.Ready(); !ok {
			write(w, http.StatusServiceUnavailable, plainText, why+"\n")
			return
		}
		write(w, http.StatusOK, plainText, "ok\n")
	}
}

func version(v Version) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, http.StatusOK, v) }
}

// A failure is a request that is refused.
type failure struct {
	status int
	text   string // the reason phrase of the status if empty
}

func (f *failure) Error() string {
	if f.text == "" {
		return strings.ToLower(http.StatusText(f.status))
	}
	return f.text
}

// refuse answers with why: in JSON below /api/, in plain text elsewhere. An
// error that is no failure is a fault of ours.
func refuse(w http.ResponseWriter, path string, err error) {
	status := http.StatusInternalServerError
	if f := (*failure)(nil); errors.As(err, &f) {
		status = f.status
	}
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="millrace"`)
	}
	if !strings.HasPrefix(path, apiPrefix) {
		write(w, status, plainText, err.Error()+"\n")
		return
	}
	writeJSON(w, status, map[string]string{"error": err.Error()})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	text, err := json.Marshal(v)
	if err != nil { // a fault of ours: what is told of has no value that JSON lacks
		status, text = http.StatusInternalServerError, fmt.Appendf(nil, `{"error":%q}`, "cannot be written as JSON")
	}
	write(w, status, jsonText, string(text)+"\n")
}

func write(w http.ResponseWriter, status int, contentType, body string) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	// An error means that the client left.
	_, _ = w.Write([]byte(body))
}
