package client_test

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/client"
)

// methods are the methods that call the operations of the partner interface.
var methods = map[string]any{
	"GET /v1/health":                                 (*client.Service).GetHealth,
	"GET /openapi.yaml":                              (*client.Service).GetOpenAPI,
	"GET /v1/ready":                                  (*client.Service).GetReady,
	"POST /v1/auth/register":                         (*client.Service).Register,
	"POST /v1/auth/login":                            (*client.Service).Login,
	"GET /track/{order_id}":                          (*client.Service).TrackOrder,
	"GET /track/{order_id}/html":                     (*client.Service).TrackOrderPage,
	"GET /proofs/{name}":                             (*client.Service).GetProof,
	"POST /v1/auth/logout":                           (*client.Session).Logout,
	"GET /v1/auth/me":                                (*client.Session).GetMe,
	"GET /v1/auth/api-keys":                          (*client.Session).ListAPIKeys,
	"POST /v1/auth/api-keys":                         (*client.Session).CreateAPIKey,
	"DELETE /v1/auth/api-keys/{}":                    (*client.Session).RevokeAPIKey,
	"POST /v1/auth/password":                         (*client.Session).ChangePassword,
	"GET /v1/auth/sessions":                          (*client.Session).ListSessions,
	"DELETE /v1/auth/sessions/{}":                    (*client.Session).EndSession,
	"DELETE /v1/auth/sessions":                       (*client.Session).EndOtherSessions,
	"GET /v1/auth/totp":                              (*client.Session).GetTOTP,
	"POST /v1/auth/totp":                             (*client.Session).BeginTOTP,
	"POST /v1/auth/totp/confirm":                     (*client.Session).ConfirmTOTP,
	"DELETE /v1/auth/totp":                           (*client.Session).RemoveTOTP,
	"POST /v1/auth/email":                            (*client.Session).ChangeEmail,
	"POST /v1/auth/email/{}":                         (*client.Service).ConfirmEmail,
	"POST /v1/auth/reset":                            (*client.Service).RequestReset,
	"POST /v1/auth/reset/{}":                         (*client.Service).ResetPassword,
	"GET /v1/account":                                (*client.Session).GetAccount,
	"PATCH /v1/account":                              (*client.Session).ChangeAccount,
	"PUT /v1/account/logo":                           (*client.Session).SetLogo,
	"DELETE /v1/account/logo":                        (*client.Session).DeleteLogo,
	"GET /v1/account/openid":                         (*client.Session).GetCompanySignIn,
	"PUT /v1/account/openid":                         (*client.Session).PutOpenID,
	"DELETE /v1/account/openid":                      (*client.Session).RemoveOpenID,
	"POST /v1/account/domains":                       (*client.Session).AddDomain,
	"DELETE /v1/account/domains/{}":                  (*client.Session).RemoveDomain,
	"POST /v1/account/domains/{}/check":              (*client.Session).CheckDomain,
	"GET /v1/team":                                   (*client.Session).GetTeam,
	"POST /v1/team/invitations":                      (*client.Session).InviteUser,
	"DELETE /v1/team/invitations/{}":                 (*client.Session).WithdrawInvitation,
	"PATCH /v1/team/{}":                              (*client.Session).ChangeUser,
	"DELETE /v1/team/{}":                             (*client.Session).RemoveUser,
	"POST /v1/auth/invitations/{}":                   (*client.Service).AcceptInvitation,
	"POST /v1/rates/quote":                           (*client.Client).CreateQuote,
	"POST /v1/rates/quotes":                          (*client.Client).CreateQuotes,
	"POST /v1/orders":                                (*client.Client).CreateOrder,
	"GET /v1/orders":                                 (*client.Client).ListOrders,
	"POST /v1/orders/batch":                          (*client.Client).CreateOrders,
	"POST /v1/orders/validate":                       (*client.Client).ValidateOrder,
	"GET /v1/orders/{}":                              (*client.Client).GetOrder,
	"GET /v1/orders/{}/label":                        (*client.Client).PrintLabel,
	"POST /v1/orders/{}/label-link":                  (*client.Client).CreateLabelLink,
	"GET /v1/labels":                                 (*client.Client).PrintLabels,
	"GET /v1/statements":                             (*client.Client).ListStatements,
	"GET /v1/statements/{}":                          (*client.Client).GetStatement,
	"POST /v1/orders/{}/cancel":                      (*client.Client).CancelOrder,
	"PATCH /v1/orders/{}":                            (*client.Client).PreviewEdit,
	"POST /v1/orders/{}/returns":                     (*client.Client).CreateReturn,
	"POST /v1/orders/{}/cancellation-request":        (*client.Client).RequestCancellation,
	"GET /v1/inventory/products":                     (*client.Client).ListProducts,
	"GET /v1/inventory/movements":                    (*client.Client).ListMovements,
	"GET /v1/logs":                                   (*client.Client).ListLogs,
	"GET /v1/figures":                                (*client.Client).GetFigures,
	"GET /v1/webhooks/endpoint":                      (*client.Client).GetWebhookEndpoint,
	"PUT /v1/webhooks/endpoint":                      (*client.Client).SetWebhookEndpoint,
	"DELETE /v1/webhooks/endpoint":                   (*client.Client).DeleteWebhookEndpoint,
	"POST /v1/webhooks/endpoint/rotate-secret":       (*client.Client).RotateWebhookSecret,
	"POST /v1/webhooks/endpoint/activate-secret":     (*client.Client).ActivateWebhookSecret,
	"GET /v1/webhooks/endpoints":                     (*client.Client).ListWebhookEndpoints,
	"POST /v1/webhooks/endpoints":                    (*client.Client).AddWebhookEndpoint,
	"GET /v1/webhooks/endpoints/{}":                  (*client.Client).GetEndpoint,
	"PATCH /v1/webhooks/endpoints/{}":                (*client.Client).EditEndpoint,
	"DELETE /v1/webhooks/endpoints/{}":               (*client.Client).DeleteEndpoint,
	"POST /v1/webhooks/endpoints/{}/rotate-secret":   (*client.Client).RotateEndpointSecret,
	"POST /v1/webhooks/endpoints/{}/activate-secret": (*client.Client).ActivateEndpointSecret,
	"GET /v1/webhooks/events":                        (*client.Client).ListEvents,
	"GET /v1/webhooks/events/{}":                     (*client.Client).GetEvent,
	"POST /v1/webhooks/events/{}/redeliver":          (*client.Client).RedeliverEventTo,
	"POST /v1/webhooks/redeliver":                    (*client.Client).RedeliverEvents,
	"GET /v1/webhooks/feed":                          (*client.Client).ReadFeed,
	"POST /v1/webhooks/test":                         (*client.Client).TestEndpoint,
}

// withoutMethod are the operations that have no method, each with the reason.
var withoutMethod = map[string]string{
	"GET /v1/auth/logout": "POST does the same",

	"GET /v1/orders/{order_id}/label/{token}": "a file at the address of CreateLabelLink, for programs without a key",

	"GET /track/{order_id}/mail":        "a page for the recipient's browser",
	"POST /track/{order_id}/mail":       "a form of that page, and for mail programs",
	"GET /logos/{partner_id}/{version}": "a picture at the address that the account holds, for browsers",
	"GET /openapi.json":                 "GET /openapi.yaml has the same document",
	"GET /openapi-3.0.yaml":             "for generators of clients",
	"GET /asyncapi.yaml":                "for generators of receivers",
	"GET /ops.yaml":                     "the document of another interface",
	"GET /ops.json":                     "the document of another interface",
}

// excused are members without a field and fields without a member, each with the reason.
var excused = map[string]string{
	"client.CreateAPIKeyRequest.email":    "the session authenticates",
	"client.CreateAPIKeyRequest.password": "the session authenticates",
}

// alwaysSent are optional members whose field is sent even if it is zero, each with the
// reason.
var alwaysSent = map[string]string{
	"client.Parcel.value_cents": "required in an order, and 0 is a value",
}

var inPath = regexp.MustCompile(`\{[^}]*\}`)

// comparison compares the document with the types of the package.
type comparison struct {
	*testing.T
	roots
	constants map[string][]string                // of the package, by the names of their types
	fields    map[reflect.Type]map[string]bool   // that the document has
	words     map[reflect.Type]map[string]string // that the document has, with a place
}

// TestDocument fails for an operation without a method, a member of a request or answer
// without a field, a word of an enumeration without a constant, and the reverse.
func TestDocument(t *testing.T) {
	t.Parallel()
	c := &comparison{T: t, roots: readDocuments(t), constants: readConstants(t),
		fields: map[reflect.Type]map[string]bool{}, words: map[reflect.Type]map[string]string{}}
	c.compareOperations("openapi.yaml", methods, withoutMethod)
	c.compareOperations("ops.yaml", operatorMethods, operatorWithoutMethod)
	c.compareEvents()
	c.reverse()
}

// compareOperations compares the operations of a document with the methods that call them.
func (c *comparison) compareOperations(file string, methods map[string]any, without map[string]string) {
	known := map[string]any{}
	for name, method := range methods {
		known[inPath.ReplaceAllString(name, "{}")] = method
	}
	for _, operation := range c.operations(file) {
		c.compareErrors(operation)
		name := inPath.ReplaceAllString(operation.name, "{}")
		switch {
		case known[name] != nil:
			c.compareOperation(operation, reflect.ValueOf(known[name]))
			delete(known, name)
		case without[operation.name] == "":
			c.Errorf("%s: got no method", operation.name)
		}
	}
	for name := range known {
		c.Errorf("%s: got a method for an operation that the document lacks", name)
	}
}

// ownConstants are types of constants that the document need not have, each with the reason.
var ownConstants = map[string]string{
	"SignatureVersion": "it says how a client signs, and is not sent",
	"StatementFormat":  "GetStatementFile sends it as the media type, and GetStatement is compared",
}

// reverse fails for fields and constants that the document lacks.
func (c *comparison) reverse() {
	for kind, seen := range c.fields {
		for name := range jsonFields(kind) {
			if !seen[name] && excused[kind.String()+"."+name] == "" {
				c.Errorf("%v: got a field for %s, which the document lacks", kind, name)
			}
		}
	}
	for kind, words := range c.words {
		got := c.constants[kind.Name()]
		for word, place := range words {
			if !slices.Contains(got, word) {
				c.Errorf("%s: got %q, for which %v has no constant", place, word, kind)
			}
		}
		for _, word := range got {
			if words[word] == "" {
				c.Errorf("%v: got a constant %q, which the document lacks", kind, word)
			}
		}
	}
	for name := range c.constants {
		if ownConstants[name] == "" && !slices.ContainsFunc(slices.Collect(maps.Keys(c.words)),
			func(kind reflect.Type) bool { return kind.Name() == name }) {
			c.Errorf("%s: got constants, which the document lacks", name)
		}
	}
}

// compareOperation compares the types of a method with the operation, and a request that
// it sends.
func (c *comparison) compareOperation(operation described, method reflect.Value) {
	sent := &recorder{}
	arguments := []reflect.Value{receiver(method.Type().In(0), sent,
		operation.token), reflect.ValueOf(context.Background())}
	for i := 2; i < method.Type().NumIn()-1; i++ {
		kind := method.Type().In(i)
		arguments = append(arguments, filled(kind))
		switch {
		case kind.Kind() != reflect.Struct:
			c.compareParameter(operation, kind)
		case operation.body.value != nil:
			c.compare(operation.name+" request", c.shapeOf(operation.body), kind)
			c.compareOptional(operation.name+" request", c.shapeOf(operation.body), kind)
		default:
			c.compareQuery(operation, kind)
		}
	}
	results := method.Call(arguments)
	if err, failed := results[1].Interface().(error); failed {
		c.Errorf("%s: got %v, want no error", operation.name, err)
		return
	}
	c.compareRequest(operation, sent.request)
	c.compareAnswers(operation, results[0].Type())
}

// compareParameter records the words of an argument that is not an id: the language of a
// page, the media type of labels, or the kind of a proof.
func (c *comparison) compareParameter(operation described, kind reflect.Type) {
	switch kind {
	case reflect.TypeFor[client.Language]():
		c.compare(operation.name+" lang", c.shapeOf(operation.parameters["lang"]), kind)
	case reflect.TypeFor[client.ProofKind]():
		c.compare(operation.name+" kind", c.shapeOf(operation.parameters["kind"]), kind)
	case reflect.TypeFor[client.LabelFormat]():
		kinds, _ := c.contents(operation.responses["200"])
		for _, word := range kinds {
			c.addWord(kind, word, operation.name)
		}
	}
}

func (c *comparison) compareQuery(operation described, kind reflect.Type) {
	fields := map[string]reflect.Type{}
	for _, field := range reflect.VisibleFields(kind) {
		fields[field.Tag.Get("query")] = field.Type
	}
	for _, name := range operation.inQuery {
		if fields[name] == nil {
			c.Errorf("%s: got parameter %s, which %v lacks", operation.name, name, kind)
			continue
		}
		if fields[name].Kind() == reflect.Bool {
			continue // "true", or left out
		}
		c.compare(operation.name+" "+name, c.shapeOf(operation.parameters[name]), fields[name])
	}
}

// compareRequest compares a request that has every parameter and member.
func (c *comparison) compareRequest(operation described, request *http.Request) {
	want := regexp.MustCompile("^" + inPath.ReplaceAllString(operation.name, "[x1]") + "$")
	if got := request.Method + " " + request.URL.Path; !want.MatchString(got) {
		c.Errorf("%s: got a request %s, want %s", operation.name, got, want)
	}
	got := slices.Sorted(maps.Keys(request.URL.Query()))
	if slices.Sort(operation.inQuery); !slices.Equal(got, operation.inQuery) {
		c.Errorf("%s: got the query %q, want %q", operation.name, got, operation.inQuery)
	}
	_, keyed := operation.parameters["Idempotency-Key"]
	for header, want := range map[string]bool{
		"Idempotency-Key": keyed,
		"X-Signature":     operation.signed,
		"Authorization":   operation.token,
		"Cookie":          operation.session && !operation.signed,
	} {
		if got := request.Header.Get(header) != ""; got != want {
			c.Errorf("%s: got the header %s = %t, want %t", operation.name, header, got, want)
		}
	}
	if got := request.ContentLength > 0; got != operation.hasBody {
		c.Errorf("%s: got a request with a body = %t, want the reverse", operation.name, got)
	}
}

// compareAnswers compares the 2xx answers with the type that the method returns.
func (c *comparison) compareAnswers(operation described, result reflect.Type) {
	var schemas []node
	raw := false
	for status, response := range operation.responses {
		if !strings.HasPrefix(status, "2") {
			continue
		}
		kinds, schema := c.contents(response)
		if schema.value != nil {
			schemas = append(schemas, schema)
		}
		raw = raw || schema.value == nil && len(kinds) > 0
	}
	switch {
	case raw && result != reflect.TypeFor[[]byte]():
		c.Errorf("%s: got %v for an answer that is not JSON, want bytes", operation.name, result)
	case result == reflect.TypeFor[*client.Session]():
		c.compare(operation.name, c.shapeOf(schemas...), reflect.TypeFor[client.Partner]())
	case result == reflect.TypeFor[*client.Operator]():
		c.compare(operation.name, c.shapeOf(schemas...), reflect.TypeFor[client.OperatorAccount]())
	case !raw:
		c.compare(operation.name, c.shapeOf(schemas...), result)
	}
}

// refused is the body of every error.
type refused struct {
	Error     client.Error `json:"error"`
	RequestID string       `json:"request_id"`
}

func (c *comparison) compareErrors(operation described) {
	for status, response := range operation.responses {
		if status < "400" {
			continue
		}
		if _, schema := c.contents(response); schema.value != nil {
			c.compare(operation.name+" "+status, c.shapeOf(schema), reflect.TypeFor[refused]())
		}
	}
}

// compareEvents compares the bodies of webhooks with Event and its data.
func (c *comparison) compareEvents() {
	c.each(c.at(node{"openapi.yaml", c.roots["openapi.yaml"]}, "webhooks"), func(name string, hook node) {
		body := c.shapeOf(c.keepReference(hook, "post", "requestBody", "content", "application/json", "schema"))
		data := body.members["data"]
		body.members["data"] = nil
		c.compare("webhook "+name, body, reflect.TypeFor[client.Event]())
		event, err := client.ParseEvent([]byte(`{"id":"1","type":` + strconv.Quote(name) + `,"data":{}}`))
		if err != nil {
			c.Fatal(err)
		}
		if _, unknown := event.Data.(*client.UnknownData); unknown {
			c.Errorf("webhook %s: got no struct for its data", name)
			return
		}
		c.compare("webhook "+name+" data", c.shapeOf(data...), reflect.TypeOf(event.Data))
	})
}

// compare compares a schema with a type, and what is inside of both.
func (c *comparison) compare(place string, s *shape, kind reflect.Type) {
	kind = valueOf(kind)
	switch {
	case kind == reflect.TypeFor[json.RawMessage](), kind.Kind() == reflect.Interface:
		return
	case kind == reflect.TypeFor[time.Time]():
		if !s.isTime {
			c.Errorf("%s: got a time.Time, want date-time in the document", place)
		}
	case len(s.members) > 0 || s.types["object"]:
		c.compareObject(place, s, kind)
	case s.types["array"]:
		if kind.Kind() != reflect.Slice {
			c.Errorf("%s: got %v, want a slice", place, kind)
			return
		}
		c.compare(place+"[]", c.shapeOf(s.items...), kind.Elem())
	default:
		c.compareScalar(place, s, kind)
	}
}

// valueOf returns the type of what a pointer or a client.Setting holds, or the type itself.
func valueOf(kind reflect.Type) reflect.Type {
	for kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	if strings.HasPrefix(kind.Name(), "Setting[") {
		return valueOf(kind.Field(1).Type)
	}
	return kind
}

// compareMap compares an object whose members are alike with a map.
func (c *comparison) compareMap(place string, s *shape, kind reflect.Type) {
	for name, schemas := range s.members {
		c.addWord(kind.Key(), name, place)
		c.compare(place+"."+name, c.shapeOf(schemas...), kind.Elem())
	}
}

func (c *comparison) compareObject(place string, s *shape, kind reflect.Type) {
	if kind.Kind() == reflect.Map {
		c.compareMap(place, s, kind)
		return
	}
	if kind.Kind() != reflect.Struct {
		c.Errorf("%s: got %v, want a struct", place, kind)
		return
	}
	if c.fields[kind] == nil {
		c.fields[kind] = map[string]bool{}
	}
	fields := jsonFields(kind)
	for name, schemas := range s.members {
		field, ok := fields[name]
		if !ok {
			if excused[kind.String()+"."+name] == "" {
				c.Errorf("%s.%s: got no field in %v", place, name, kind)
			}
			continue
		}
		c.fields[kind][name] = true
		if schemas != nil {
			c.compare(place+"."+name, c.shapeOf(schemas...), field.Type)
		}
	}
}

// compareOptional fails for an optional member of a request whose field is sent even if
// it is zero.
func (c *comparison) compareOptional(place string, s *shape, kind reflect.Type) {
	kind = valueOf(kind)
	if kind.Kind() == reflect.Slice {
		kind = valueOf(kind.Elem())
	}
	if kind.Kind() != reflect.Struct || kind == reflect.TypeFor[time.Time]() {
		return
	}
	for name, field := range jsonFields(kind) {
		options := field.Tag.Get("json")
		if !s.required[name] && !strings.Contains(options, "omit") && alwaysSent[kind.String()+"."+name] == "" {
			c.Errorf("%s.%s: got a field of %v that is sent if it is zero, but the member is optional", place, name, kind)
		}
		inner := c.shapeOf(s.members[name]...)
		if len(inner.items) > 0 {
			inner = c.shapeOf(inner.items...)
		}
		c.compareOptional(place+"."+name, inner, field.Type)
	}
}

func (c *comparison) compareScalar(place string, s *shape, kind reflect.Type) {
	want := map[reflect.Kind]string{
		reflect.String: "string", reflect.Bool: "boolean", reflect.Float64: "number",
		reflect.Int: "integer", reflect.Int64: "integer",
	}[kind.Kind()]
	if len(s.types) > 0 && !s.types[want] {
		c.Errorf("%s: got %v, want one of the types %v", place, kind, s.types)
	}
	if want != "string" {
		return
	}
	if s.isTime {
		c.Errorf("%s: got %v, want a time.Time", place, kind)
	}
	if kind == reflect.TypeFor[string]() {
		if len(s.words) > 1 {
			c.Errorf("%s: got a string, want a type with constants for %q", place, s.words)
		}
		return
	}
	for _, word := range s.words {
		c.addWord(kind, word, place)
	}
}

func (c *comparison) addWord(kind reflect.Type, word, place string) {
	if c.words[kind] == nil {
		c.words[kind] = map[string]string{}
	}
	c.words[kind][word] = place
}

// jsonFields returns the fields of a struct by the names of their members. Those of
// embedded structs are among them.
func jsonFields(kind reflect.Type) map[string]reflect.StructField {
	fields := map[string]reflect.StructField{}
	for _, field := range reflect.VisibleFields(kind) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name != "" && name != "-" {
			fields[name] = field
		}
	}
	return fields
}
