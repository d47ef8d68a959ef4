//go:build poll_opt

package netpoll

import gnet "github.com/panjf2000/gnet/v2/pkg/netpoll"

// attachments keeps one attachment for each descriptor number, for good: the kernel holds
// the only other pointer to it, which the collector does not see, and a report may come
// later in the batch in which the descriptor was closed.
type attachments struct {
	byFD   []*gnet.PollAttachment
	report func(fd int, r readiness)
}

func (a *attachments) get(fd int) *gnet.PollAttachment {
	for fd >= len(a.byFD) {
		a.byFD = append(a.byFD, make([]*gnet.PollAttachment, len(a.byFD)+64)...)
	}
	if a.byFD[fd] == nil {
		a.byFD[fd] = &gnet.PollAttachment{FD: fd, Callback: func(fd int, ev gnet.IOEvent, flags gnet.IOFlags) error {
			a.report(fd, translate(ev, flags))
			return nil
		}}
	}
	return a.byFD[fd]
}

func (g *gnetPoller) poll(report func(fd int, r readiness)) error {
	g.attachments.report = report
	return g.p.Polling()
}
