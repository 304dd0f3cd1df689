// Package api holds the OpenAPI documents: what the service takes and what it
// answers, in the form that programs read. They are embedded so that a running
// service serves the very documents it was built and tested with.
package api

import _ "embed"

// OpenAPI is the partner interface, as GET /openapi.yaml answers it.
//
//go:embed openapi.yaml
var OpenAPI []byte

// Ops is the operator interface below /ops/v1. It refers to schemas of the
// partner interface as openapi.yaml, relative to itself.
//
//go:embed ops.yaml
var Ops []byte
