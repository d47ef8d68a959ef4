package main

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"millrace/engine/config"
)

func TestOptions(t *testing.T) {
	o, err := parseOptions([]string{"-duration", "1m", "-seed", "3"}, io.Discard)
	if err != nil || o.Duration != time.Minute || o.Seed != 3 {
		t.Errorf("got %+v, %v", o, err)
	}
	if o, err := parseOptions(nil, io.Discard); err != nil || o.Duration != 10*time.Minute || o.Seed == 0 {
		t.Errorf("got %+v, %v, want ten minutes and a seed", o, err)
	}
	for _, bad := range []string{"x", "-rounds 1", "-clients 0", "-duration 0s", "-reload -1s", "-clients 101 -permits 400", "-frob"} {
		var out strings.Builder
		if code := run(context.Background(), strings.Fields(bad), &out); code != 2 || out.Len() == 0 {
			t.Errorf("%s: code %d, %q", bad, code, out.String())
		}
	}
}

func TestFormsAreConfigurations(t *testing.T) {
	texts, err := render(formBlanks{Address: "127.0.0.1:1", Extra: "127.0.0.1:2", Admin: "127.0.0.1:3", Permits: 400, Clusters: clusters},
		[]string{"127.0.0.1:11", "127.0.0.1:12", "127.0.0.1:13"})
	if err != nil || len(texts) != 2 || string(texts[formA]) == string(texts[formB]) {
		t.Fatalf("got %d texts, %v", len(texts), err)
	}
	for form, listeners := range map[string]int{formA: 1, formB: 2} {
		c, err := config.Parse("form-"+form, texts[form])
		if err != nil {
			t.Fatalf("%v\n%s", err, texts[form])
		}
		if faults := config.Unbuilt(c); len(faults) > 0 {
			t.Errorf("form %s: %v", form, faults)
		}
		if len(c.Listeners) != listeners || len(c.Clusters) != 3 || len(c.Clusters[0].Upstreams) != 2 {
			t.Errorf("form %s: %d listeners, %d clusters", form, len(c.Listeners), len(c.Clusters))
		}
	}
}
