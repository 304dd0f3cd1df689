package outbound

import (
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

var (
	strict = Policy{}
	office = Policy{Networks: []netip.Prefix{
		netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd12:3456::/32"), netip.MustParsePrefix("::ffff:172.16.0.0/108"),
	}}
)

func TestURLsThatCanBeEndpoints(t *testing.T) {
	t.Parallel()
	tests := map[string]Policy{
		"https://hooks.example.com":                             strict,
		"https://hooks.example.com/":                            strict,
		"https://hooks.example.com/a/b?c=d&e=%20f":              strict,
		"https://hooks.example.com?c=d":                         strict,
		"HTTPS://Hooks.Example.COM/A":                           strict,
		"https://hooks.example.com:443/":                        strict,
		"https://hooks.example.com:1024/":                       strict,
		"https://hooks.example.com:65535/":                      strict,
		"https://my_hook.example.com":                           strict,
		"https://1.example.com":                                 strict,
		"https://xn--bcher-kva.example":                         strict,
		"https://notlocalhost.com":                              strict,
		"https://mylocal.internal.example.com":                  strict,
		"https://8.8.8.8/":                                      strict,
		"https://8.8.8.8:8443/":                                 strict,
		"https://[2606:4700::1111]/":                            strict,
		"https://[2606:4700::ABCD]:8443/":                       strict,
		"https://example.com/@:#"[:21]:                          strict,
		"https://e.com/" + strings.Repeat("a", maxURL-14):       strict,
		"https://10.1.2.3/":                                     office,
		"https://172.17.2.3/":                                   office,
		"https://[fd12:3456::1]/":                               office,
		"https://hooks.corp.internal/":                          office,
		"https://receiver/":                                     office,
		"http://hooks.example.com/":                             development,
		"http://hooks.example.com:80/":                          development,
		"http://localhost:81/":                                  development,
		"http://shop.localhost:9000/":                           development,
		"http://receiver:9000/":                                 development,
		"http://127.0.0.1:1/":                                   development,
		"http://127.8.8.8/":                                     development,
		"https://[::1]:22/":                                     development,
		"https://localhost:443/":                                development,
		"https://" + strings.Repeat("a.", 125) + "com/":         strict,
		"https://" + strings.Repeat("a", 63) + ".example.com/x": strict,
	}
	for text, policy := range tests {
		if err := policy.CheckURL(text); err != nil {
			t.Errorf("%+v refuses %s: expected %v", policy, text, err)
		}
	}
}

func TestURLsThatCannotBeEndpoints(t *testing.T) {
	t.Parallel()
	tests := map[string]expectation{
		"":                               expectHTTPS,
		"hooks.example.com":              expectHTTPS,
		"//hooks.example.com":            expectHTTPS,
		"https:hooks.example.com":        expectHTTPS,
		"https:///path":                  expectHTTPS,
		"https://":                       expectHTTPS,
		"http://hooks.example.com":       expectHTTPS,
		"ftp://hooks.example.com":        expectHTTPS,
		"file:///etc/passwd":             expectHTTPS,
		"unix:///run/docker.sock":        expectHTTPS,
		"gopher://hooks.example.com":     expectHTTPS,
		"javascript:alert(1)":            expectHTTPS,
		"https://hooks.example.com/%zz":  expectHTTPS,
		"https://hooks.example.com:x/":   expectHTTPS,
		"https://hooks.example.com:-1/":  expectHTTPS,
		"https://[::1":                   expectHTTPS,
		"https://hooks.exa mple.com":     expectASCII,
		" https://hooks.example.com":     expectASCII,
		"https://hooks.example.com/\r\n": expectASCII,
		"https://hooks.example.com/\x00": expectASCII,
		"https://hooks.example.com/é":    expectASCII,
		"https://bücher.example":         expectASCII,
		"https://user@hooks.example.com": expectAnonymous,
		"https://u:p@hooks.example.com":  expectAnonymous,
		"https://@hooks.example.com":     expectAnonymous,
		"https://8.8.8.8@127.0.0.1/":     expectAnonymous,
		"https://hooks.example.com/#a":   expectWhole,
		"https://hooks.example.com/#":    expectWhole,
		"https://hooks.example.com#@a.b": expectWhole,
		"https://hooks.example.com:":     expectPort,
		"https://hooks.example.com:0/":   expectPort,
		"https://hooks.example.com:22":   expectPort,
		"https://hooks.example.com:25":   expectPort,
		"https://hooks.example.com:80":   expectPort,
		"https://hooks.example.com:1023": expectPort,
		"https://hooks.example.com:0443": expectPort,
		"https://a.example.com:65536":    expectPort,
		"https://a.example.com:67979":    expectPort, // 443 in 16 bits
		"https://e.com/" + strings.Repeat("a", maxURL-13): expectLength,

		"https://" + strings.Repeat("a.", 126) + "com/":         expectHost,
		"https://" + strings.Repeat("a", 64) + ".example.com/x": expectHost,
		"https://localhost":                expectHost,
		"https://LOCALHOST:8443":           expectHost,
		"https://shop.localhost":           expectHost,
		"https://db.internal":              expectHost,
		"https://metadata.google.internal": expectHost,
		"https://printer.local":            expectHost,
		"https://receiver":                 expectHost,
		"https://hooks.example.com.":       expectHost,
		"https://hooks..example.com":       expectHost,
		"https://.example.com":             expectHost,
		"https://-a.example.com":           expectHost,
		"https://a-.example.com":           expectHost,
		"https://a.example.com:443:443":    expectHTTPS,
		`https://a.example.com\@b.com`:     expectHTTPS,
		"https://a%2eexample.com":          expectHTTPS,
		"https://a;b.example.com":          expectHost,
		"https://*.example.com":            expectHost,
		"https://a,b.example.com":          expectHost,
	}
	for text, want := range tests {
		if err := strict.CheckURL(text); err != want {
			t.Errorf("%q: expected %v; want %v", text, err, want)
		}
	}
}

// loopbackNotations are ways to write 127.0.0.1 that one resolver or another
// has been known to read.
var loopbackNotations = []string{
	"127.0.0.1", "127.0.0.1.", "127.1", "127.0.1", "127.000.000.001", "127.0.0.01", "2130706433", "0x7f000001", "0x7f.1",
	"0x7f.0x0.0x0.0x1", "0177.0.0.1", "0177.1", "017700000001", "127.0.0.0x1", "127.0.0.1.0x0", "1.2.3.4.127", "0.0.0.0", "0",
	"00", "0x", "0x0", "a.0x7f", "a.1", "4294967295", "+127.0.0.1", "127.0.0.-1", "127.0.0.1%00", "127%2e0%2e0%2e1", "%31%32%37.0.0.1",
	"127。0。0。1", "127.0.0.1", "①②⑦.⓪.⓪.①", "127．0．0．1", "127｡0｡0｡1", "[127.0.0.1]", "[::1]", "[::1.]", "::1", "[0:0:0:0:0:0:0:1]",
	"[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[::ffff:8.8.8.8]", "[::ffff:0:127.0.0.1]", "[::]", "[::1%lo]", "[::1%25lo]", "[fe80::1%25eth0]",
	"[2606:4700::1111%25eth0]", "[2606:4700:0::1111]", "[2606:4700:0000:0:0:0:0:1111]", "[[::1]]", "[::1]a", "[]", "[v1.x]", "1 27.0.0.1", "127.0.0.1\t", "127.0.0.1%20",
	"lo\u00adcalhost", "ⓛocalhost", "localhost.", "loc%61lhost",
}

func TestNotationsOfLoopback(t *testing.T) {
	t.Parallel()
	c := open(t, strict, nil)
	for _, host := range loopbackNotations {
		for _, text := range []string{"https://" + host, "https://" + host + ":8443/x", "https://u@" + host + "/"} {
			if err := c.CheckURL(text); err == nil {
				t.Errorf("%s can be an endpoint", text)
			}
			if answer := post(t, c, text); answer.Problem != problemRefused {
				t.Errorf("%s: %+v", text, answer)
			}
		}
	}
}

// FuzzCheckURL makes sure that what is accepted means to Go's client what it
// says, and that an address in it is one that may be dialled.
func FuzzCheckURL(f *testing.F) {
	for _, host := range loopbackNotations {
		f.Add("https://"+host+"/", false)
	}
	for _, text := range []string{"https://8.8.8.8:8443/?a", "https://[2606:4700::1111]/", "http://127.0.0.1:1", "http://[::1]:81", "https://a.b/#", "https://u:p@a.b"} {
		f.Add(text, true)
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, insecure bool) {
		c := open(t, Policy{Insecure: insecure}, nil)
		if c.CheckURL(text) != nil {
			return
		}
		request, err := http.NewRequest(http.MethodPost, text, nil)
		if err != nil {
			t.Fatalf("%q is accepted, but no URL: %v", text, err)
		}
		if insecure == (request.URL.Scheme == "https") && !insecure || request.URL.User != nil || request.URL.Fragment != "" {
			t.Fatalf("%q is accepted as %+v", text, request.URL)
		}
		host, port := request.URL.Hostname(), request.URL.Port()
		if port == "" {
			port = map[string]string{"https": "443", "http": "80"}[request.URL.Scheme]
		}
		ip, err := netip.ParseAddr(host)
		if err != nil {
			if last := host[strings.LastIndexByte(host, '.')+1:]; strings.Trim(last, "0123456789") == "" {
				t.Fatalf("%q is accepted, and may be an address", text)
			}
			if decoded, err := url.PathUnescape(host); err != nil || decoded != host {
				t.Fatalf("%q is accepted, and has another reading", text)
			}
			return
		}
		number, network := netip.MustParseAddrPort(netip.AddrPortFrom(ip, 0).String()), "tcp6"
		if number.Addr().Is4() {
			network = "tcp4"
		}
		target := strings.TrimSuffix(number.String(), "0") + port
		if err := c.control(t.Context(), network, target, nil); err != nil {
			t.Fatalf("%q is accepted, but %s cannot be dialled", text, target)
		}
	})
}
