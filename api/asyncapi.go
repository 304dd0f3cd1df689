package api

// endpoint is the channel of the AsyncAPI document, and headers the schema of what every
// request has.
const (
	endpoint = "endpoint"
	headers  = "WebhookHeaders"
)

// AsyncAPI returns an AsyncAPI 3.0 document of the events that an OpenAPI document has as
// webhooks: one channel, which is the partner's endpoint, and for each type of event a
// message and the operation that sends it.
func AsyncAPI(document []byte) ([]byte, error) {
	source, err := parse(document)
	if err != nil {
		return nil, err
	}
	e := &events{
		source: source, messages: object(), operations: object(), inChannel: object(), schemas: object(),
	}
	e.schemas.set(headers, e.headers())
	source.at("webhooks").members(e.add)

	info := source.at("info")
	channel := object().
		with("address", null()).
		with("description", word("The URL that you have set with `PUT /v1/webhooks/endpoint`.")).
		with("messages", e.inChannel)
	result := object().
		with("asyncapi", word("3.0.0")).
		with("info", object().
			with("title", word("Dropyard events")).
			with("version", info.at("version")).
			with("description", e.description()).
			with("license", object().with("name", info.at("license", "name")))).
		with("defaultContentType", word("application/json")).
		with("channels", object().with(endpoint, channel)).
		with("operations", e.operations).
		with("components", object().with("messages", e.messages).with("schemas", e.schemas))
	return result.text()
}

// events collects the parts of an AsyncAPI document.
type events struct {
	source                                   tree
	messages, operations, inChannel, schemas tree
}

// description returns what the document has about all events, under their tag.
func (e *events) description() (found tree) {
	var tag string
	e.source.at("webhooks").members(func(_ string, hook tree) { tag = hook.at("post", "tags").elements()[0].word() })
	for _, one := range e.source.at("tags").elements() {
		if one.at("name").word() == tag {
			found = one.at("description")
		}
	}
	return found
}

// headers returns the schema of the headers of every request.
func (e *events) headers() tree {
	properties, required := object(), list()
	e.source.at("x-webhook-headers").members(func(name string, header tree) {
		properties.set(name, object().
			with("description", header.at("description")).
			with("allOf", list(header.at("schema"))))
		if header.at("required").word() == "true" {
			required.Content = append(required.Content, word(name).Node)
		}
		e.collect(header.at("schema"))
	})
	return object().with("type", word("object")).with("required", required).with("properties", properties)
}

// add adds a type of events.
func (e *events) add(name string, hook tree) {
	post := hook.at("post")
	content := post.at("requestBody", "content", "application/json")
	e.collect(content.at("schema"))

	examples := list()
	content.at("examples").members(func(name string, example tree) {
		examples.Content = append(examples.Content, object().
			with("name", word(name)).with("summary", example.at("summary")).with("payload", example.at("value")).Node)
	})
	e.messages.set(name, object().
		with("name", word(name)).
		with("title", post.at("summary")).
		with("description", post.at("description")).
		with("contentType", word("application/json")).
		with("headers", reference("#/components/schemas/"+headers)).
		with("payload", content.at("schema")).
		with("examples", examples))
	e.inChannel.set(name, reference("#/components/messages/"+name))
	e.operations.set(name, object().
		with("action", word("send")).
		with("channel", reference("#/channels/"+endpoint)).
		with("summary", post.at("summary")).
		with("messages", list(reference("#/channels/"+endpoint+"/messages/"+name))).
		with("bindings", object().with("http",
			object().with("method", word("POST")).with("bindingVersion", word("0.3.0")))))
}

// collect copies the components that a schema refers to. The keywords of both kinds of
// documents are those of JSON Schema, except discriminator, which AsyncAPI has as a word.
func (e *events) collect(t tree) {
	if target := t.at("$ref").word(); target != "" {
		found, name := e.source.lookUp(target), target[len("#/components/schemas/"):]
		if !e.schemas.has(name) {
			e.schemas.set(name, found)
			e.collect(found)
		}
		return
	}
	if t.at("discriminator").has("propertyName") {
		t.remove("discriminator")
	}
	t.members(func(_ string, member tree) { e.collect(member) })
	for _, element := range t.elements() {
		e.collect(element)
	}
}
