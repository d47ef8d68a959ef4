package netpoll

import (
	"errors"

	gnet "github.com/panjf2000/gnet/v2/pkg/netpoll"

	gneterrors "github.com/panjf2000/gnet/v2/pkg/errors"
	"github.com/panjf2000/gnet/v2/pkg/queue"
)

// gnetPoller adapts gnet's Poller. What differs between platforms and between gnet's two
// builds is in attach and in the files beside this one.
type gnetPoller struct {
	p           *gnet.Poller
	attachments attachments
}

func newPoller() (poller, error) {
	p, err := gnet.OpenPoller()
	if err != nil {
		return nil, err
	}
	return &gnetPoller{p: p}, nil
}

func (g *gnetPoller) add(fd int) error {
	return g.p.AddReadWrite(g.attachments.get(fd), true)
}

func (g *gnetPoller) addRead(fd int) error {
	return g.p.AddRead(g.attachments.get(fd), true)
}

func (g *gnetPoller) remove(fd int) {
	_ = g.p.Delete(fd) // the descriptor is closed next, whatever this says
}

func (g *gnetPoller) post(fn func() error) error {
	return g.p.Trigger(queue.HighPriority, runPosted, fn)
}

// stopPolling is the error that gnet's Polling returns on.
func stopPolling() error { return gneterrors.ErrEngineShutdown }

func (g *gnetPoller) close() error { return g.p.Close() }

func runPosted(arg any) error {
	fn, ok := arg.(func() error)
	if !ok {
		return errors.New("BUG: a posted task is no function")
	}
	return fn()
}
