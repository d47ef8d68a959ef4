package config

import "testing"

func TestRefusesSyntax(t *testing.T) {
	f := refused(t)
	f("", "1:1: the file is empty; it needs listeners and routes")
	f("# only a comment\n", "1:1: the file is empty; it needs listeners and routes")
	f("~\n", "1:1: the file is empty; it needs listeners and routes")
	f("- listeners\n- routes\n", "1:1: a list where a mapping is expected; the file begins with keys such as listeners: and routes:")
	f("text\n", "1:1: a single value where a mapping is expected; the file begins with keys such as listeners: and routes:")
	f("---\n---\nlisteners: []\n",
		"1:1: the file is empty; it needs listeners and routes",
		"2:1: a second document begins here; a file holds one")
	f(ok+"---\nworkers: 2\n", "3:1: a second document begins here; a file holds one")
	f(ok+"...\nmore", "4: not valid YAML: did not find expected <document start>")
	f("listeners: [\":80\"\nroutes: []\n", "2: not valid YAML: did not find expected ',' or ']'")
	f("listeners:\n\t- \":80\"\n", "2:1: a tab in the indentation; YAML is indented with blanks")
	f("listeners:\n  - \":80\"\n routes: x\n", "3: not valid YAML: did not find expected key")
	f("listeners: a: b\n", "1: not valid YAML: mapping values are not allowed in this context")
	f("routes: [{prefix: \"/a}]\n", "2: not valid YAML: found unexpected end of stream")
	f(ok+"log: {level: \"a\x00b\"}\n", "3:16: control character 0x00")
	f(ok+"log: {level: \"a\x7fb\"}\n", "3:16: control character 0x7f")
	f(ok+"log: {level: \"a\xffb\"}\n", "3:16: not UTF-8 text")
	f(ok+"a: &x 1\n",
		"3:1: a: anchors are not allowed; put a value that begins with & in quotes",
		"3:1: a: unknown key; one of")
	f("listeners: &l [\":80\"]\nroutes: *l\n",
		"1:1: listeners: anchors are not allowed; put a value that begins with & in quotes",
		"2:1: routes: aliases are not allowed; write the value out, or put a value that begins with * in quotes")
	f("listeners: [*nothing]\n", "1:13: an alias without its anchor; put a value that begins with * in quotes")
	f(ok+"limits: &l {header_count: 1}\ntimeouts:\n  <<: *l\n",
		"3:1: limits: anchors are not allowed; put a value that begins with & in quotes",
		"5:3: timeouts: merge keys (<<) are not allowed; write the keys out")
	f(ok+"limits: {<<: {header_count: 1}}\n", "3:10: limits: merge keys (<<) are not allowed; write the keys out")
	f(ok+"? [workers]\n: 2\n", "3:3: a key that is not text; put it in quotes")
	f(ok+"1: 2\n", "3:1: a key that is not text; put it in quotes")
	f(ok+"true: 2\n", "3:1: a key that is not text; put it in quotes")
	f(ok+"~: 2\n", "3:1: a key that is not text; put it in quotes")
	f(ok+"workers: !!int \"2\"\n", "3:1: workers: tags are not allowed; put a value that begins with ! in quotes")
	f(ok+"log: !thing {level: info}\n", "3:1: log: tags are not allowed; put a value that begins with ! in quotes")
	f(ok+"workers: 1\nworkers: 2\n", "4:1: workers: written twice; the first is on line 3")
	f(ok+"limits: {header_count: 1, header_count: 2}\n", "3:27: limits.header_count: written twice; the first is on line 3")
	f("listeners:\n  -\n  - \":80\"\nroutes: [{local: {}}]\n", "2:4: listeners[0]: an empty list item; give it a value or remove it")
	f("listeners: [\":80\", ~]\nroutes: [{local: {}}]\n", "1:20: listeners[1]: an empty list item; give it a value or remove it")
	f(ok+"trusted_proxies:\n  - 10.0.0.0/8\n  -\n", "5:4: trusted_proxies[1]: an empty list item; give it a value or remove it")
	f(ok+"\"two words\": 1\n", `3:1: ["two..."]: unknown key; one of`)
	f(ok+"beacon:\n  announce: [{address: \"h:1\", secret:0123456789abcdef}]\n",
		"4:14: beacon.announce[0]: a secret is required: secret, or secret_file with the name of a file",
		`4:31: beacon.announce[0]["secret..."]: unknown key; one of`)
}

func TestRefusesKeys(t *testing.T) {
	f := refused(t)
	f("routes: [{local: {}}]\n", "1:1: listeners is required")
	f("listeners: [\":80\"]\n", "1:1: routes is required")
	f("workers: 2\n",
		"1:1: listeners is required",
		"1:1: routes is required")
	f("listeners: []\nroutes: []\n",
		"1:1: listeners: at least one listener is needed",
		"2:1: routes: at least one route is needed")
	f("listeners:\nroutes:\n",
		"1:1: listeners: nothing where a list is expected",
		"2:1: routes: nothing where a list is expected")
	f("listeners: \":80\"\nroutes: {}\n",
		"1:1: listeners: a single value where a list is expected",
		"2:1: routes: a mapping where a list is expected")
	f(ok+"listners: [\":81\"]\n", "3:1: listners: unknown key; did you mean listeners?")
	f(ok+"colour: blue\n", "3:1: colour: unknown key; one of")
	f(ok+"timeouts: [10s]\n", "3:1: timeouts: a list where a mapping is expected, with keys out of")
	f(ok+"timeouts: 10s\n", "3:1: timeouts: a single value where a mapping is expected, with keys out of")
	f(ok+"timeouts: {heder: 10s}\n", "3:12: timeouts.heder: unknown key; did you mean header?")
	f(ok+"clusters: [web]\n", "3:1: clusters: a list where a mapping of names is expected")
	f(ok+"clusters: web\n", "3:1: clusters: a single value where a mapping of names is expected")
	f("listeners: [{name: a}]\nroutes: [{local: {}}]\n", "1:13: listeners[0]: address is required")
	f("listeners: [[\":80\"]]\nroutes: [{local: {}}]\n", "1:13: listeners[0]: a list where a mapping is expected, with keys out of")
	f("listeners: [\":80\"]\nroutes: [text]\n", "2:10: routes[0]: a single value where a mapping is expected, with keys out of")
	f("listeners: [\":80\"]\nroutes:\n  - prefix: /a\n    proxy: http://h\n  - proxy: http://h\n    prefx: /b\n", "6:5: routes[1].prefx: unknown key; did you mean prefix?")
	f(web("circuit_breaker:\n      window: 10s\n      max_fail: 3"), "8:7: clusters.web.circuit_breaker.max_fail: unknown key; did you mean max_fails?")
	f(web("upstream: []"), "6:5: clusters.web.upstream: unknown key; did you mean upstreams?")
	f(web("affinity: {cookies: {}}"), "6:16: clusters.web.affinity.cookies: unknown key; did you mean cookie?")
}
