package outbound

import (
	"cmp"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
)

var (
	strict = Policy{}
	office = Policy{Networks: []netip.Prefix{
		netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd12:3456::/32"),
		netip.MustParsePrefix("::ffff:172.16.0.0/108"),
	}}
)

func TestCheckURLAccepts(t *testing.T) {
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
		"https://example.com/@:":                                strict,
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
			t.Errorf("%+v, %q: got expected %v, want nil", policy, text, err)
		}
	}
}

func TestCheckURLRejects(t *testing.T) {
	t.Parallel()
	tests := map[string]error{
		"":                                                errHTTPS,
		"hooks.example.com":                               errHTTPS,
		"//hooks.example.com":                             errHTTPS,
		"https:hooks.example.com":                         errHTTPS,
		"https:///path":                                   errHTTPS,
		"https://":                                        errHTTPS,
		"http://hooks.example.com":                        errHTTPS,
		"ftp://hooks.example.com":                         errHTTPS,
		"file:///etc/passwd":                              errHTTPS,
		"unix:///run/docker.sock":                         errHTTPS,
		"gopher://hooks.example.com":                      errHTTPS,
		"javascript:alert(1)":                             errHTTPS,
		"https://hooks.example.com/%zz":                   errHTTPS,
		"https://hooks.example.com:x/":                    errHTTPS,
		"https://hooks.example.com:-1/":                   errHTTPS,
		"https://[::1":                                    errHTTPS,
		"https://hooks.exa mple.com":                      errASCII,
		" https://hooks.example.com":                      errASCII,
		"https://hooks.example.com/\r\n":                  errASCII,
		"https://hooks.example.com/\x00":                  errASCII,
		"https://hooks.example.com/é":                     errASCII,
		"https://bücher.example":                          errASCII,
		`https://hooks.example.com\@127.0.0.1/`:           errCharacter,
		`https://hooks.example.com/a\b`:                   errCharacter,
		`https://hooks.example.com/?q={a|b}`:              errCharacter,
		`https://hooks.example.com/?%`:                    errEscape,
		`https://hooks.example.com/?a=%2`:                 errEscape,
		`https://hooks.example.com/?a=%2g`:                errEscape,
		`https://hooks.example.com/?a[]=1`:                errEscape,
		`https://hooks.example.com/a[1]`:                  errEscape,
		"https://user@hooks.example.com":                  errAnonymous,
		"https://u:p@hooks.example.com":                   errAnonymous,
		"https://@hooks.example.com":                      errAnonymous,
		"https://8.8.8.8@127.0.0.1/":                      errAnonymous,
		"https://hooks.example.com/#a":                    errFragment,
		"https://hooks.example.com/#":                     errFragment,
		"https://hooks.example.com#@a.b":                  errFragment,
		"https://hooks.example.com:":                      errPort,
		"https://hooks.example.com:0/":                    errPort,
		"https://hooks.example.com:22":                    errPort,
		"https://hooks.example.com:25":                    errPort,
		"https://hooks.example.com:80":                    errPort,
		"https://hooks.example.com:1023":                  errPort,
		"https://hooks.example.com:0443":                  errPort,
		"https://a.example.com:65536":                     errPort,
		"https://a.example.com:67979":                     errPort, // 443 in 16 bits
		"https://e.com/" + strings.Repeat("a", maxURL-13): errLength,

		"https://" + strings.Repeat("a.", 126) + "com/":         errHost,
		"https://" + strings.Repeat("a", 64) + ".example.com/x": errHost,
		"https://localhost":                errHost,
		"https://LOCALHOST:8443":           errHost,
		"https://shop.localhost":           errHost,
		"https://db.internal":              errHost,
		"https://metadata.google.internal": errHost,
		"https://printer.local":            errHost,
		"https://receiver":                 errHost,
		"https://hooks.example.com.":       errHost,
		"https://hooks..example.com":       errHost,
		"https://.example.com":             errHost,
		"https://-a.example.com":           errHost,
		"https://a-.example.com":           errHost,
		"https://a.example.com:443:443":    errHTTPS,
		`https://a.example.com\@b.com`:     errCharacter,
		"https://a%2eexample.com":          errHTTPS,
		"https://a;b.example.com":          errHost,
		"https://*.example.com":            errHost,
		"https://a,b.example.com":          errHost,
	}
	for text, want := range tests {
		if err := strict.CheckURL(text); !errors.Is(err, want) {
			t.Errorf("%q: got expected %v, want %v", text, err, want)
		}
	}
}

// loopbackNotations are hosts that some resolvers have read as loopback addresses,
// or that look like it.
var loopbackNotations = []string{
	"127.0.0.1", "127.0.0.1.", "127.1", "127.0.1", "127.000.000.001", "127.0.0.01", "2130706433", "0x7f000001", "0x7f.1",
	"0x7f.0x0.0x0.0x1", "0177.0.0.1", "0177.1", "017700000001", "127.0.0.0x1", "127.0.0.1.0x0", "1.2.3.4.127", "0.0.0.0",
	"0", "00", "0x", "0x0", "a.0x7f", "a.1", "4294967295", "+127.0.0.1", "127.0.0.-1", "127.0.0.1%00", "127%2e0%2e0%2e1",
	"%31%32%37.0.0.1", "127。0。0。1", "１２７.０.０.１", "①②⑦.⓪.⓪.①", "127．0．0．1", "127｡0｡0｡1", "[127.0.0.1]", "[::1]", "[::1.]",
	"::1", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[::ffff:8.8.8.8]",
	"[::ffff:0:127.0.0.1]", "[::]", "[::1%lo]", "[::1%25lo]", "[fe80::1%25eth0]", "[2606:4700::1111%25eth0]",
	"[2606:4700:0::1111]", "[2606:4700:0000:0:0:0:0:1111]", "[[::1]]", "[::1]a", "[]", "[v1.x]", "1 27.0.0.1",
	"127.0.0.1\t", "127.0.0.1%20", "lo\u00adcalhost", "ⓛocalhost", "localhost.", "loc%61lhost",
}

func TestNotationsOfLoopback(t *testing.T) {
	t.Parallel()
	c := newTestClient(t, strict, nil)
	for _, host := range loopbackNotations {
		for _, text := range []string{"https://" + host, "https://" + host + ":8443/x", "https://u@" + host + "/"} {
			if err := c.CheckURL(text); err == nil {
				t.Errorf("CheckURL(%q): got nil, want an error", text)
			}
			if answer := post(t, c, text); answer.Problem != problemRefused {
				t.Errorf("%q: got %+v, want problem %q", text, answer, problemRefused)
			}
		}
	}
}

// FuzzCheckURL checks that Go's client reads an accepted URL as CheckURL has read
// it, and that an address in it may be dialled.
func FuzzCheckURL(f *testing.F) {
	for _, host := range loopbackNotations {
		f.Add("https://"+host+"/", false)
	}
	for _, text := range []string{
		"https://8.8.8.8:8443/?a", "https://[2606:4700::1111]/", "http://127.0.0.1:1", "http://[::1]:81", "https://a.b/#",
		"https://u:p@a.b",
	} {
		f.Add(text, true)
		f.Add(text, false)
	}
	clients := map[bool]*Client{false: newTestClient(f, strict, nil), true: newTestClient(f, development, nil)}
	f.Fuzz(func(t *testing.T, text string, insecure bool) {
		c := clients[insecure]
		if c.CheckURL(text) != nil {
			return
		}
		request, err := http.NewRequest(http.MethodPost, text, nil)
		if err != nil {
			t.Fatalf("%q is accepted, but net/http does not parse it: %v", text, err)
		}
		u := request.URL
		if u.User != nil || u.Fragment != "" || u.Scheme != "https" && (u.Scheme != "http" || !insecure) {
			t.Fatalf("%q is accepted as %+v", text, u)
		}
		port := cmp.Or(u.Port(), map[string]string{"https": "443", "http": "80"}[u.Scheme])
		ip, err := netip.ParseAddr(u.Hostname())
		if err != nil {
			if end := u.Hostname()[strings.LastIndexByte(u.Hostname(), '.')+1]; end < 'A' && end != '_' {
				t.Fatalf("%q is accepted, although its host could be an address", text)
			}
			return
		}
		network := map[bool]string{true: "tcp4", false: "tcp6"}[ip.Is4()]
		if err := c.control(t.Context(), network, net.JoinHostPort(ip.String(), port), nil); err != nil {
			t.Fatalf("%q is accepted, but must not be dialled: %v", text, err)
		}
	})
}
