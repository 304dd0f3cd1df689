package page

import "net/http"

// Policy is the content security policy of every document that is not an island: only what this server
// serves, no inline style or script, and no text that becomes script.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; " +
	"worker-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'"

// setHeaders sets the headers of a document. Browsers send other sites that it links to
// nothing about the page.
func setHeaders(h http.Header, language Language, policy string) {
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Language", string(language))
	h.Set("Content-Security-Policy", policy)
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Add("Vary", "Accept-Language")
}
