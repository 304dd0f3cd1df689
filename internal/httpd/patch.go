package httpd

import (
	"mime"
	"strconv"
	"strings"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// mergePatch is the Content-Type of a merge patch (RFC 7396).
const mergePatch = "application/merge-patch+json"

// DecodePatch reads a merge patch as a command. It may also be sent as ordinary JSON.
func DecodePatch[C any](c *Call, read func(*form.Form) C) (command C, err error) {
	contentType := c.Header.Get("Content-Type")
	kind, _, err := mime.ParseMediaType(contentType)
	if !isJSON(contentType) && (err != nil || kind != mergePatch) {
		return command, refusal.New(refusal.CodeUnsupportedMediaType,
			"send the body as "+mergePatch+" or application/json")
	}
	root, err := c.parse()
	if err != nil {
		return command, err
	}
	return form.Decode(root, read)
}

var errIfMatch = refusal.New(refusal.CodeBadRequest, `If-Match must be the version of the order in quotes, such as "3"`)

// IfMatch returns the version that the header If-Match names; 0 without it.
func (c *Call) IfMatch() (version int64, err error) {
	values := c.Header.Values("If-Match")
	if len(values) == 0 || len(values) == 1 && values[0] == "*" {
		return 0, nil
	}
	quoted, opens := strings.CutPrefix(values[0], `"`)
	quoted, closes := strings.CutSuffix(quoted, `"`)
	version, err = strconv.ParseInt(quoted, 10, 64)
	if len(values) > 1 || !opens || !closes || err != nil || version < 1 {
		return 0, errIfMatch
	}
	return version, nil
}

var previewRule = form.OneOf("true", "false")

// Preview reports whether the query asks what a change would do, and not for the change. It
// refuses other parameters: if preview is misspelt, nothing may be changed.
func (c *Call) Preview() (bool, error) {
	q, err := c.ListQuery()
	if err != nil {
		return false, err
	}
	wanted := q.OneOf("preview", previewRule)
	return wanted == "true", q.Err()
}
