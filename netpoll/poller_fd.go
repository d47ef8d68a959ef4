//go:build !poll_opt

package netpoll

import gnet "github.com/panjf2000/gnet/v2/pkg/netpoll"

// attachments holds the one attachment that registering by number needs; the poller
// reports numbers and keeps no pointer to it.
type attachments struct{ scratch gnet.PollAttachment }

func (a *attachments) get(fd int) *gnet.PollAttachment {
	a.scratch.FD = fd
	return &a.scratch
}

func (g *gnetPoller) poll(report func(fd int, r readiness)) error {
	return g.p.Polling(func(fd int, ev gnet.IOEvent, flags gnet.IOFlags) error {
		report(fd, translate(ev, flags))
		return nil
	})
}
