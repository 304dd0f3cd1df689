package docs

import (
	"bytes"
	"embed"
	"encoding/json"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/dropyard/dropyard/internal/web"
)

// postmanPath is the address of the collection.
const postmanPath = root + "/postman.json"

//go:embed postman
var postmanScripts embed.FS

// collection is a Postman collection of the requests to an interface.
// https://schema.postman.com/collection/json/v2.1.0/draft-07/docs/index.html
type collection struct {
	Info     collectionInfo       `json:"info"`
	Folders  []folder             `json:"item"`
	Scripts  []script             `json:"event"`
	Settings []collectionVariable `json:"variable"`
}

type collectionInfo struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Schema      string `json:"schema"`
}

type folder struct {
	Name        string        `json:"name"`
	Description string        `json:"description"`
	Items       []requestItem `json:"item"`
}

type requestItem struct {
	Name    string            `json:"name"`
	Request collectionRequest `json:"request"`
	Answers []struct{}        `json:"response"`
}

type collectionRequest struct {
	Description string               `json:"description"`
	Method      string               `json:"method"`
	Headers     []collectionVariable `json:"header"`
	URL         collectionURL        `json:"url"`
	Body        *collectionBody      `json:"body,omitempty"`
}

type collectionURL struct {
	Raw       string               `json:"raw"`
	Host      []string             `json:"host"`
	Path      []string             `json:"path"`
	Query     []collectionVariable `json:"query,omitempty"`
	Variables []collectionVariable `json:"variable,omitempty"`
}

type collectionBody struct {
	Mode    string          `json:"mode"` // raw or file
	Raw     string          `json:"raw,omitempty"`
	Options json.RawMessage `json:"options,omitempty"`
}

type collectionVariable struct {
	Key         string `json:"key"`
	Value       string `json:"value"`
	Description string `json:"description,omitempty"`
	Disabled    bool   `json:"disabled,omitempty"`
}

type script struct {
	Listen string `json:"listen"`
	Script struct {
		Type  string   `json:"type"`
		Lines []string `json:"exec"`
	} `json:"script"`
}

// postman serves the collection of the partners' interface of this service.
func (pages *Pages) postman(v *web.PageRequest) (int, []byte, error) {
	text, err := surfaces[0].postman(pages.config.BaseURL())
	if err != nil {
		return 0, nil, err
	}
	v.Header.Set("Content-Type", "application/json")
	v.Header.Set("Content-Disposition", `attachment; filename="dropyard.postman_collection.json"`)
	v.Header.Set("Cache-Control", "no-cache")
	return http.StatusOK, text, nil
}

// postman returns the interface of the service at an address as a Postman collection, with a
// folder for each tag.
func (s surface) postman(address string) ([]byte, error) {
	info := s.of().get("info")
	made := collection{
		Info: collectionInfo{
			Name: info.get("title").text(), Description: info.get("description").text(),
			Schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
		},
		Scripts: []script{readScript("prerequest", "sign.js"), readScript("test", "keep.js")},
		Settings: []collectionVariable{
			{Key: "base_url", Value: address, Description: "The address of the service."},
			{Key: "api_key", Description: "The public key, such as pk_test_…"},
			{Key: "secret", Description: "The secret key, such as sk_test_…"},
		},
	}
	for _, tag := range s.of().get("tags").items() {
		group := folder{Name: tag.get("name").text(), Description: tag.get("description").text()}
		for _, one := range s.operations() {
			if one.tag != group.Name {
				continue
			}
			group.Items = append(group.Items, requestItem{one.title, one.postman(), []struct{}{}})
			for _, name := range one.postmanSettings() {
				made.addSetting(name)
			}
		}
		if len(group.Items) > 0 {
			made.Folders = append(made.Folders, group)
		}
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(made)
	return text.Bytes(), err
}

// postmanSettings returns the variables of the collection from which parameters get their values: those in the
// path, and ids that the query must have.
func (o operation) postmanSettings() (names []string) {
	for _, p := range o.parameters {
		if name := o.postmanSetting(p); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// postmanSetting returns the variable of the collection from which a parameter gets its value; empty if it gets none. A
// token has the name of what stands before it in the path, such as label_token, because tokens are of different kinds.
func (o operation) postmanSetting(p node) string {
	name, in := p.get("name").text(), p.get("in").text()
	switch {
	case in == "path" && name == "token":
		before, _, _ := strings.Cut(o.Route, "/{token}")
		return path.Base(before) + "_token"
	case in == "path", in == "query" && p.get("required").text() == "true" && strings.HasSuffix(name, "_id"):
		return name
	}
	return ""
}

// addSetting adds a variable that the paths of requests have.
func (c *collection) addSetting(name string) {
	if !slices.ContainsFunc(c.Settings, func(known collectionVariable) bool { return known.Key == name }) {
		c.Settings = append(c.Settings, collectionVariable{Key: name})
	}
}

// readScript returns a script of the collection, which is embedded.
func readScript(listen, name string) (found script) {
	text, err := postmanScripts.ReadFile("postman/" + name)
	if err != nil {
		panic("docs: " + err.Error()) // embedded files are always there
	}
	found.Listen, found.Script.Type = listen, "text/javascript"
	found.Script.Lines = strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	return found
}

// postman returns the operation as a request of the collection, with the first example of
// its body. The script of the collection signs requests with the header X-Api-Key.
func (o operation) postman() collectionRequest {
	made := collectionRequest{
		Description: strings.TrimSpace(o.get("description").text() + "\n\n" + o.access()),
		Method:      o.Method, Headers: []collectionVariable{},
	}
	kind, body, writable := o.sampleBody()
	switch {
	case !writable:
		made.Body = &collectionBody{Mode: "file"}
	case body != "" && kind == "application/json":
		made.Body = &collectionBody{
			Mode: "raw", Raw: unique.ReplaceAllString(body, `$1"{{$$guid}}"`), Options: json.RawMessage(`{"raw":{"language":"json"}}`),
		}
	case body != "":
		made.Body = &collectionBody{Mode: "raw", Raw: body}
	}
	if made.Body != nil {
		made.Headers = append(made.Headers, collectionVariable{Key: "Content-Type", Value: kind})
	}
	if o.needs("signedKey") {
		made.Headers = append(made.Headers, collectionVariable{Key: "X-Api-Key", Value: "{{api_key}}"})
	}
	made.URL = o.postmanURL()
	for _, p := range o.parameters {
		if p.get("in").text() != "header" {
			continue
		}
		one := postmanParameter(p)
		if one.Key == "Idempotency-Key" {
			one.Value, one.Disabled = "{{$guid}}", false
		}
		made.Headers = append(made.Headers, one)
	}
	return made
}

// unique matches ids in a body that no two requests may share.
var unique = regexp.MustCompile(`("partner_order_id": )"[^"]*"`)

// postmanURL returns the address of the operation, whose parameters in the path are variables of
// the collection.
func (o operation) postmanURL() collectionURL {
	made := collectionURL{Host: []string{"{{base_url}}"}}
	for part := range strings.SplitSeq(strings.TrimPrefix(o.Route, "/"), "/") {
		made.Path = append(made.Path, pathParameter.ReplaceAllString(part, ":$1"))
	}
	made.Raw = "{{base_url}}/" + strings.Join(made.Path, "/")
	separator := "?"
	for _, p := range o.parameters {
		one := postmanParameter(p)
		if setting := o.postmanSetting(p); setting != "" {
			one.Value = "{{" + setting + "}}"
		}
		switch p.get("in").text() {
		case "path":
			made.Variables = append(made.Variables, one)
		case "query":
			made.Query = append(made.Query, one)
			if !one.Disabled {
				made.Raw += separator + one.Key + "=" + one.Value
				separator = "&"
			}
		}
	}
	return made
}

// pathParameter matches a parameter that is a whole part of a path.
var pathParameter = regexp.MustCompile(`^\{(\w+)\}$`)

// postmanParameter returns a parameter with its example, which is sent only if it is required.
func postmanParameter(p node) collectionVariable {
	return collectionVariable{
		Key: p.get("name").text(), Value: strings.Replace(exampleOf(p), "…", "", 1),
		Description: p.get("description").text(), Disabled: p.get("required").text() != "true",
	}
}
