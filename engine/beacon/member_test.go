package beacon

import (
	"strings"
	"testing"
)

func TestParseMember(t *testing.T) {
	f := func(url string, want Member) {
		t.Helper()
		got, err := ParseMember(url)
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v, want %+v", url, got, err, want)
		}
		if again, err := ParseMember(got.URL); err != nil || again != got {
			t.Errorf("%q is not canonical: %+v, %v", got.URL, again, err)
		}
	}
	app := Member{"http://app.example.com", "http", "app.example.com", 80}
	f("HTTP://App.Example.com:80", app)
	f("http://app.example.com/", app)
	f("http://app.example.com", app)
	f("http://app.example.com:80/", app)
	f("http://app.example.com:443", Member{"http://app.example.com:443", "http", "app.example.com", 443})
	f("https://a:443", Member{"https://a", "https", "a", 443})
	f("hTTps://a:80", Member{"https://a:80", "https", "a", 80})
	f("http://10.0.0.5:8080", Member{"http://10.0.0.5:8080", "http", "10.0.0.5", 8080})
	f("http://[::1]", Member{"http://[::1]", "http", "::1", 80})
	f("https://[2001:DB8::5]:443/", Member{"https://[2001:db8::5]", "https", "2001:db8::5", 443})
	f("https://[::FFFF:1.2.3.4]:1", Member{"https://[::ffff:1.2.3.4]:1", "https", "::ffff:1.2.3.4", 1})
	f("http://a_b.c-d:65535", Member{"http://a_b.c-d:65535", "http", "a_b.c-d", 65535})
	f("http://a.example.", Member{"http://a.example.", "http", "a.example.", 80})
	f("http://1a.2b", Member{"http://1a.2b", "http", "1a.2b", 80})
	long := strings.Repeat(strings.Repeat("a", 62)+".", 4)[:252] + "b"
	f("http://"+long, Member{"http://" + long, "http", long, 80})
}

func TestParseMemberRefuses(t *testing.T) {
	for _, url := range []string{
		"", "a", "http", "http:", "http:/a", "http://", "http:///", "//a", "a:80", "://a", "http:a", "http:// ", " http://a", "http://a ",
		"http://a/b", "http://a//", "http://a/?", "http://a?", "http://a?b=c", "http://a#", "http://a#b", "http://a/./", "http://a\\",
		"http://u@a", "http://u:p@a", "http://@a", "http://a@", "http://a%2f", "http://a%62",
		"http://a:", "http://a:0", "http://a:00", "http://a:65536", "http://a:70000", "http://a:-1", "http://a:+80", "http://a:080", "http://a:8o", "http://a:80:80", "http://a:1_0", "http://a: 80", "http://a:99999999999999999999", "http://:80", "http://a:٣",
		"http://[::1", "http://[::1]x", "http://[::1]80", "http://[::1]:", "http://[::1]:0", "http://[]", "http://[1.2.3.4]", "http://[::1%eth0]", "http://[::1%25eth0]", "http://[[::1]]", "http://::1", "http://::1:80", "http://]", "http://[:::1]",
		"http://1.2.3", "http://127.1", "http://1.2.3.256", "http://1.2.3.4.", "http://01.2.3.4", "http://0x7f.1", "http://0x7f000001", "http://2130706433",
		"http://.", "http://.a", "http://a..b", "http://a..", "http://-a", "http://a-", "http://a.-b", "http://*", "http://a,b", "http://a|http://b",
		"http://caf\xc3\xa9.example", "http://a\x01b", "http://a\tb", "http://a\nb", "http://a\x7f", "http://a\xff", "http://\u212Aa", "http\u017F://a",
		"ftp://a", "ws://a", "h2c://a", "javascript://a", "httpss://a", "unix:/run/app.sock|http://localhost", "unix:/run/app.sock",
		"http://" + strings.Repeat("a", 64), "http://" + strings.Repeat("a.", 127), "http://" + strings.Repeat("a.", 200) + "a",
	} {
		if m, err := ParseMember(url); err == nil && m.Host != strings.Repeat("a.", 127) {
			t.Errorf("%q is taken: %+v", url, m)
		}
	}
}
