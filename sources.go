// Package dropyard holds the sources from which a running service packs the clients that it offers below /downloads.
package dropyard

import "embed"

// Sources holds the clients and the examples by their paths in the repository.
//
// sdk/typescript/dist is what npm run build makes of sdk/typescript/src.
//
//go:embed LICENSE go.mod client/*.go client/README.md internal/signature/*.go
//go:embed sdk/python/LICENSE sdk/python/README.md sdk/python/generate.py sdk/python/pyproject.toml
//go:embed sdk/python/src/dropyard/*.py sdk/python/src/dropyard/py.typed sdk/python/tests/*.py sdk/python/tests/*.json
//go:embed sdk/typescript/LICENSE sdk/typescript/README.md sdk/typescript/package.json
//go:embed sdk/typescript/src/openapi.ts sdk/typescript/dist/esm/*.js sdk/typescript/dist/esm/*.d.ts
//go:embed sdk/typescript/dist/cjs/*.js sdk/typescript/examples/*.mjs
//go:embed examples/*/*.* examples/*/*/*.*
var Sources embed.FS
