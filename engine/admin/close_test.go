package admin

import (
	"context"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"millrace/engine/stats"
)

// closing begins to close l. What it came to is sent.
func closing(l *Listener, limit time.Duration) <-chan error {
	done := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		done <- l.Close(ctx)
	}()
	return done
}

// Whoever connected before the end is answered, however late the request comes.
func TestCloseAnswersWhoHasConnected(t *testing.T) {
	l, _ := serve(t, always)
	var conns []net.Conn
	for range 4 {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_ = c.SetDeadline(time.Now().Add(10 * time.Second))
		conns = append(conns, c)
	}
	for l.from.count() < len(conns) {
		time.Sleep(time.Millisecond)
	}
	done := closing(l, time.Minute)
	for {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			break // it has begun
		}
		c.Close()
		time.Sleep(5 * time.Millisecond) // too many visitors at once would be sent away
	}
	for _, c := range conns {
		io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
		if answer, err := io.ReadAll(c); err != nil || len(answer) == 0 {
			t.Errorf("got %q, %v", answer, err)
		}
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// A socket that somebody else serves as well loses no connection when one of them closes.
func TestCloseOfASharedSocket(t *testing.T) {
	l, _ := serve(t, always)
	address := l.Addr().String()
	var clients sync.WaitGroup
	stop := make(chan struct{})
	for range 2 {
		clients.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if err := knock(address); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for range 10 {
		f, err := l.socket.(*net.TCPListener).File()
		if err != nil {
			t.Fatal(err)
		}
		again, err := net.FileListener(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		next, err := Listen(Options{Address: address, State: state(always), Stats: stats.New(1), Socket: again})
		if err != nil {
			t.Fatal(err)
		}
		go func() { _ = next.Serve() }()
		if err := <-closing(l, 10*time.Second); err != nil {
			t.Error(err)
		}
		l = next
	}
	close(stop)
	clients.Wait()
	<-closing(l, time.Second)
}

// knock makes one request on a connection of its own.
func knock(address string) error {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err = io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"); err != nil {
		return err
	}
	answer, err := io.ReadAll(c)
	if err == nil && len(answer) == 0 {
		err = fmt.Errorf("no answer")
	}
	return err
}
