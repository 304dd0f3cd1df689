package api

import "github.com/dropyard/dropyard/internal/httpd"

// Deprecated returns the deprecated operations by method and pattern, such as "GET
// /v1/orders". The OpenAPI documents mark the same operations; a test compares them.
func Deprecated() map[string]httpd.Deprecation {
	return map[string]httpd.Deprecation{}
}
