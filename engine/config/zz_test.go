package config
import ("testing";"strings";"fmt";"time")
func TestZZ(t *testing.T){
	for _, n := range []int{2500,5000,10000} {
	var b strings.Builder
	b.WriteString("listeners: [\":80\"]\nroutes:\n")
	for i:=range n { fmt.Fprintf(&b,"  - {host: tenant-%d.example, cluster: c%d}\n",i,i) }
	b.WriteString("clusters:\n")
	for i:=range n { fmt.Fprintf(&b,"  c%d: {upstreams: [http://10.0.0.1:%d]}\n",i,i+1000) }
	s:=time.Now()
	c,err:=parse("f",[]byte(b.String()),environment)
	if err!=nil{t.Fatal(err)}
	fmt.Println(n,"parse",time.Since(s)); s=time.Now()
	Doctor(c); fmt.Println("doctor",time.Since(s)); s=time.Now()
	Warnings(c);Unbuilt(c); fmt.Println("warn,unbuilt",time.Since(s)); s=time.Now()
	Effective(c); fmt.Println("eff",time.Since(s)); s=time.Now()
	CheckFiles(c); fmt.Println("files",time.Since(s))
	bad:=strings.ReplaceAll(b.String(),"cluster: c","cluster: d")
	s=time.Now()
	_,err=parse("f",[]byte(bad),environment); e:=err.Error()
	fmt.Println("bad",time.Since(s),len(e))
	if n==2500 {continue}
	}
}
