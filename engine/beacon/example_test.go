package beacon_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"strings"

	"millrace/engine/beacon"
)

// A service that announces itself while it runs.
func ExampleAnnouncer() {
	options := beacon.AnnouncerOptions{To: []string{"proxy.example:5555"}, URL: "http://10.0.0.5:8080", Secret: beacon.Secret(os.Getenv("BEACON_SECRET"))}
	if a, err := beacon.NewAnnouncer(options); err == nil {
		go a.Run(context.Background())
	}
}

func ExampleAnnouncer_Run() {
	receiver, _ := net.ListenPacket("udp", "127.0.0.1:0")
	a, err := beacon.NewAnnouncer(beacon.AnnouncerOptions{
		To:     []string{receiver.LocalAddr().String()},
		URL:    "HTTP://App.Example.com:80/",
		Secret: "hex:00112233445566778899aabbccddeeff",
		Host:   "app1",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	go a.Run(ctx)
	b := make([]byte, 2048)
	n, _, _ := receiver.ReadFrom(b)
	cancel()
	said, _, _ := strings.Cut(string(b[:n]), " pid=")
	fmt.Println(said)
	// Output: BEACON url=http://app.example.com host=app1
}
