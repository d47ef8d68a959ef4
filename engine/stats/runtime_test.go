package stats

import (
	"runtime"
	"strings"
	"testing"
)

func TestRuntimeMetadata(t *testing.T) {
	f := func(raw, want string) {
		t.Helper()
		if got := string(appendRuntime(nil, []byte(raw))); got != want {
			t.Errorf("%q becomes\n%s\nwant\n%s", raw, got, want)
		}
	}
	const goroutines = "# HELP go_goroutines Goroutines.\n# TYPE go_goroutines gauge\n"
	const pauses = "# HELP go_gc_duration_seconds Pauses of the last 256 garbage collections.\n# TYPE go_gc_duration_seconds summary\n"
	f("", "")
	f("go_goroutines 3\n", goroutines+"go_goroutines 3\n")
	f("unknown_metric 1\ngo_goroutines 3\nunknown_count 2\n", goroutines+"go_goroutines 3\n")
	f("# HELP go_goroutines\n# TYPE go_goroutines counter\ngo_goroutines 3\n", goroutines+"go_goroutines 3\n")
	f("go_gc_duration_seconds{quantile=\"0\"} 1\ngo_gc_duration_seconds_sum 2\ngo_gc_duration_seconds_count 3\n",
		pauses+"go_gc_duration_seconds{quantile=\"0\"} 1\ngo_gc_duration_seconds_sum 2\ngo_gc_duration_seconds_count 3\n")
	f("nonsense\n\n", "")
}

func TestRuntimeFamilies(t *testing.T) {
	var b strings.Builder
	w := &text{to: &b}
	writeRuntime(w)
	w.flush()
	x, err := parse(b.String())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"go_goroutines", "go_memstats_mallocs_total", "go_gc_duration_seconds", "go_info"} {
		if x.kinds[name] == "" {
			t.Errorf("%s is missing", name)
		}
	}
	if runtime.GOOS != "linux" {
		return
	}
	for _, name := range []string{"process_cpu_seconds_total", "process_resident_memory_bytes", "process_open_fds", "process_max_fds"} {
		if x.kinds[name] == "" {
			t.Errorf("%s is missing", name)
		}
	}
}
