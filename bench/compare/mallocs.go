package main

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// countMallocs reports how many heap objects millrace allocates per request,
// by its own count, over many requests.
func countMallocs(ctx context.Context, r *rig) error {
	p, err := r.startMillrace()
	if err != nil {
		return err
	}
	if _, err := r.loadFor(ctx, p, r.Warmup); err != nil {
		return err
	}
	before, err := metric(ctx, p.Admin, "go_memstats_mallocs_total")
	if err != nil {
		return err
	}
	l, err := r.loadRequests(ctx, p, r.Requests)
	if err != nil {
		return err
	}
	after, err := metric(ctx, p.Admin, "go_memstats_mallocs_total")
	if err != nil {
		return err
	}
	each := (after - before) / float64(l.Requests)
	fmt.Fprintf(r.out, "  %.0f allocations over %d requests: %.4f per request\n", after-before, l.Requests, each)
	r.report.figures(r.mode, map[string]map[string]float64{"millrace": {"mallocs_per_request": each}})
	return nil
}

// metric reads one series without labels from an admin listener.
func metric(ctx context.Context, admin, name string) (float64, error) {
	request, err := http.NewRequestWithContext(ctx, "GET", "http://"+admin+"/metrics", nil)
	if err != nil {
		return 0, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if value, ok := strings.CutPrefix(lines.Text(), name+" "); ok {
			return strconv.ParseFloat(value, 64)
		}
	}
	return 0, fmt.Errorf("%s has no %s", admin, name)
}
