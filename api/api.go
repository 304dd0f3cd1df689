// Package api holds the OpenAPI documents of the service. They are embedded, so
// that a running service serves the documents that it was built and tested with.
package api

import _ "embed"

// OpenAPI describes the partner interface. GET /openapi.yaml serves it.
//
//go:embed openapi.yaml
var OpenAPI []byte

// Ops describes the operator interface below /ops/v1. It refers to schemas of
// OpenAPI by the relative path openapi.yaml.
//
//go:embed ops.yaml
var Ops []byte
