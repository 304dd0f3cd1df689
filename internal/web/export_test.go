package web

// Digest returns the expression by which a content security policy allows a text.
func Digest(text string) string { return "sha256-" + digest(text) }
