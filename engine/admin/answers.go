package admin

import (
	"encoding/json"
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
	return func(w http.ResponseWriter, _ *http.Request) {
		text, err := json.Marshal(v)
		if err != nil {
			refuse(w, http.StatusInternalServerError)
			return
		}
		write(w, http.StatusOK, jsonText, string(text)+"\n")
	}
}

// refuse answers with the reason phrase of the status, in lower case.
func refuse(w http.ResponseWriter, status int) {
	write(w, status, plainText, strings.ToLower(http.StatusText(status))+"\n")
}

func write(w http.ResponseWriter, status int, contentType, body string) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	// An error means that the client left.
	_, _ = w.Write([]byte(body))
}
