package engine

// Stall has every worker stand still until resume is called. What happens on its sockets
// meanwhile, it learns of in one batch.
func (e *Engine) Stall() (resume func()) {
	standing := make(chan struct{}, len(e.workers))
	going := make(chan struct{})
	for _, w := range e.workers {
		_ = w.loop.Post(func() {
			standing <- struct{}{}
			<-going
		})
	}
	for range e.workers {
		<-standing
	}
	return func() { close(going) }
}

// Held is how many connections count against the limits, of clients and to endpoints.
func (e *Engine) Held() (clients, upstreams int64) { return e.clients.Held(), e.upstreams.Held() }

// Marks of the bytes that wait for a slow reader, and the largest read.
const (
	HighMark    = highMark
	LargestRead = largestRead
)
