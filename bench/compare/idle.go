package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"millrace/bench/proxy"
)

// settle is how long a proxy may tidy up before its memory is read.
const settle = 2 * time.Second

// measureIdle reports each proxy's memory at start and with idle connections
// that have had one answer each.
func measureIdle(ctx context.Context, r *rig) error {
	figures := map[string]map[string]float64{}
	fmt.Fprintf(r.out, "  %-15s %12s %12s %16s\n", "", "at start MB", "idle MB", "KiB/connection")
	for _, name := range r.names() {
		p, err := r.start(name, r.Idle)
		if err != nil {
			return err
		}
		before, after, err := r.holdIdle(ctx, p)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		each := float64(after-before) / float64(r.Idle) / 1024
		figures[name] = map[string]float64{
			"start_bytes": float64(before), "idle_bytes": float64(after), "connections": float64(r.Idle),
		}
		fmt.Fprintf(r.out, "  %-15s %12.1f %12.1f %16.2f\n", name, float64(before)/1e6, float64(after)/1e6, each)
		p.Stop()
	}
	r.report.figures(r.mode, figures)
	return nil
}

// holdIdle returns the memory of p before and while it holds the connections.
func (r *rig) holdIdle(ctx context.Context, p *proxy.Proxy) (before, after int64, err error) {
	if before, err = settledMemory(ctx, p); err != nil {
		return 0, 0, err
	}
	conns := make([]net.Conn, 0, r.Idle)
	defer func() {
		for _, conn := range conns {
			conn.Close()
		}
	}()
	for range r.Idle {
		conn, err := askOnce(ctx, p.Address)
		if err != nil {
			return 0, 0, fmt.Errorf("connection %d: %w", len(conns), err)
		}
		conns = append(conns, conn)
	}
	after, err = settledMemory(ctx, p)
	return before, after, err
}

func settledMemory(ctx context.Context, p *proxy.Proxy) (int64, error) {
	select {
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-time.After(settle):
	}
	return p.Memory()
}

// askOnce opens a connection, has one request answered and leaves it open.
func askOnce(ctx context.Context, addr string) (net.Conn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	conn.SetDeadline(time.Now().Add(10 * time.Second))
	fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: %s\r\n\r\n", addr)
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err == nil {
		_, err = io.Copy(io.Discard, response.Body)
	}
	if err == nil && (response.StatusCode != 200 || response.Close) {
		err = fmt.Errorf("got %s, close %v", response.Status, response.Close)
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}
