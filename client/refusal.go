package client

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// RefusalError is the error of an answer whose status is not 2xx.
type RefusalError struct {
	Status int
	// Code and Message are those of the service's error (interface section 7), empty
	// if the answer is not one of the service.
	Code, Message string
	answer        *Answer
}

// Error returns the status, code and message of the answer.
func (r *RefusalError) Error() string {
	if r.Code == "" {
		return fmt.Sprintf("refused with %d %s", r.Status, http.StatusText(r.Status))
	}
	return fmt.Sprintf("refused with %d %s: %s", r.Status, r.Code, r.Message)
}

// Err returns a *RefusalError if the status of the answer is not 2xx, and otherwise
// nil.
func (a *Answer) Err() error {
	if a.Status/100 == 2 {
		return nil
	}
	var body struct {
		Error struct{ Code, Message string }
	}
	_ = json.Unmarshal(a.Body, &body) // another body leaves the code empty
	return &RefusalError{Status: a.Status, Code: body.Error.Code, Message: body.Error.Message, answer: a}
}
