package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/dropyard/dropyard/internal/foundation/strictjson"
)

// makeAccount registers a partner with a key, over HTTP.
func makeAccount(ctx context.Context, url string, number int) (account, error) {
	login := map[string]string{
		"name": "Bench", "email": fmt.Sprintf("bench-%d@example.com", number), "password": "not-a-secret-anywhere",
	}
	var answer struct {
		PartnerID string `json:"partner_id"`
		PublicKey string `json:"public_key"`
		SecretKey string `json:"secret_key"`
	}
	for _, path := range []string{"/v1/auth/register", "/v1/auth/api-keys"} {
		if err := post(ctx, url+path, login, &answer); err != nil {
			return account{}, err
		}
	}
	return account{PartnerID: answer.PartnerID, PublicKey: answer.PublicKey, Secret: answer.SecretKey}, nil
}

// post sends JSON and decodes the JSON of a 201.
func post(ctx context.Context, url string, body, answer any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(text))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusCreated {
		err = fmt.Errorf("%s: %s: %s", url, response.Status, content)
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(content, answer)
}

// document parses JSON that this program wrote.
func document(text string) *strictjson.Value {
	root, err := strictjson.Parse([]byte(text))
	if err != nil {
		panic(err)
	}
	return root
}
