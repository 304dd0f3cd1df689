package client

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// RefusalError is an answer that is no success.
type RefusalError struct {
	Status int
	// Code and Message are what the service says (interface section 7); empty if
	// something else answered in its place.
	Code, Message string
	answer        *Answer
}

// Error is what the service said.
func (r *RefusalError) Error() string {
	if r.Code == "" {
		return fmt.Sprintf("refused with %d %s", r.Status, http.StatusText(r.Status))
	}
	return fmt.Sprintf("refused with %d %s: %s", r.Status, r.Code, r.Message)
}

// Refused gives the refusal that an answer is; nil for a success.
func (a *Answer) Refused() error {
	if a.Status/100 == 2 {
		return nil
	}
	var body struct {
		Error struct{ Code, Message string }
	}
	_ = json.Unmarshal(a.Body, &body) // what is no refusal of the service tells no code
	return &RefusalError{Status: a.Status, Code: body.Error.Code, Message: body.Error.Message, answer: a}
}
