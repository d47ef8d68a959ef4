package config
import ("testing";"gopkg.in/yaml.v3")
func FuzzZZ(f *testing.F){
	for _, seed := range []string{
		everyKey,
		"", ok, web("affinity: ip"), upstream("{url: \"https://h:8443\", active_check: {expect_status: 2xx}}"), listen("unix:/a"),
		route("host: [a, \"*.b\"], prefix: /a, proxy: [http://a, http://b]"), receive("{listen: \":1\", secret: 0123456789abcdef}"),
		local("${SET} $$ ${UNSET:-x}"), web("request_header: [\"+X: {{request.id}}\", \"-Y\"]"), "a: &a [*a]\n<<: {}\n", "- - - -\n", "\t:\n---\n...",
		web("circuit_breaker: {window: 1h30m}\n    retry_budget: true"), ok + "limits: {header_bytes: 16KiB}\ntrusted_proxies: [\"::/0\"]\n",
	} { f.Add(seed) }
	v := (*validator)(nil)
	f.Fuzz(func(t *testing.T, file string){
		if _, err := parse("f.yaml", []byte(file), environment); err != nil { return }
		if v==nil {v=newValidator(t)}
		var doc any
		if err := yaml.Unmarshal([]byte(file), &doc); err != nil { t.Skip() }
		if why := v.check(v.root, asJSON(doc), "$"); why != "" { t.Errorf("%s\n%s", why, file) }
	})
}
