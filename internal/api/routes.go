package api

import (
	"slices"

	document "github.com/dropyard/dropyard/api"
	"github.com/dropyard/dropyard/internal/api/ops"
	"github.com/dropyard/dropyard/internal/api/v1"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/web"
)

// Routes returns every route, without a server to handle it. The OpenAPI documents
// describe the same routes; a test compares them.
func Routes() []httpd.Route {
	return routes(Config{V1: v1.New(v1.Config{}), Ops: ops.New(ops.Config{})})
}

// routes returns every route.
func routes(config Config) []httpd.Route {
	s := &server{config: config}
	open := []httpd.Route{
		httpd.Public("GET", "/v1/health", s.handleHealth),
		httpd.Public("GET", "/v1/ready", s.handleReady),
		s.document("/openapi.yaml", document.OpenAPI, itself),
		s.document("/openapi.json", document.OpenAPI, document.AsJSON),
		s.document("/openapi-3.0.yaml", document.OpenAPI, document.OpenAPI30),
		s.document("/asyncapi.yaml", document.OpenAPI, document.AsyncAPI),
		s.document("/ops.yaml", document.Ops, itself),
		s.document("/ops.json", document.Ops, document.AsJSON),
		s.document("/ops-3.0.yaml", document.Ops, document.OpenAPI30),
	}
	tracking := []httpd.Route{
		{Method: "GET", Pattern: "/track/{order_id}", Handle: s.handleTrack, Page: web.Anyone},
		{Method: "GET", Pattern: "/track/{order_id}/html", Handle: s.handleTrackPage, Page: web.Anyone},
		{Method: "GET", Pattern: "/track/{order_id}/mail", Handle: s.handleMailPage, Page: web.Anyone},
		{Method: "POST", Pattern: "/track/{order_id}/mail", Handle: s.handleMailPage, Page: web.Anyone},
		{Method: "GET", Pattern: "/logos/{partner_id}/{version}", Handle: s.handleLogo},
		{Method: "GET", Pattern: "/proofs/{name}", Handle: s.handleProof, Secret: true},
	}
	for i := range tracking {
		tracking[i].Access = httpd.AccessTracking
	}
	return slices.Concat(open, tracking, config.V1.Routes(), config.Ops.Routes())
}
