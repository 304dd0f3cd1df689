package web

// Digest is how a policy names a text.
func Digest(text string) string { return "sha256-" + digest(text) }
