// Package docs holds the documents of this folder. They are embedded, so that a running
// service serves the documents that belong to its version.
package docs

import "embed"

// Files holds the documents by their paths in this folder, and the files that they offer.
//
//go:embed *.md guides/*.md decisions/*.md examples/*.csv monitoring/alerts.yml monitoring/dashboard.json
var Files embed.FS
