package engine_test
import ("testing";"time")
func TestDbg(t *testing.T) {
	u := listen(t)
	p := setup{top: "timeouts: {body_idle: 300ms}"}.run(t, u)
	c := p.dial()
	b:=time.Now()
	c.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n")
	w := u.accept()
	w.seeHead()
	w.see("1\r\na\r\n")
	c.seeStatus(408, "request body timeout")
	t.Log(time.Since(b))
}
