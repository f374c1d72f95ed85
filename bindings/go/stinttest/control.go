package stinttest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"k8s.io/client-go/rest"
)

// control talks to the control API of a server. docs/control-api.md of the repository says what that has.
type control struct {
	url    string
	client *http.Client
}

func newControl(config *rest.Config) (*control, error) {
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	return &control{url: config.Host + "/control/v1/", client: client}, nil
}

// ask sends a request and reads the answer as JSON. A nil body is none.
func (c *control) ask(ctx context.Context, method, what string, body, answer any) error {
	bytes, err := c.bytes(ctx, method, what, body)
	if err != nil {
		return err
	}
	return json.Unmarshal(bytes, answer)
}

// bytes sends a request and gives the body of the answer.
func (c *control) bytes(ctx context.Context, method, what string, body any) ([]byte, error) {
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		sent = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.url+what, sent)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := c.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	read, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode >= 300 {
		var status struct{ Message string }
		if json.Unmarshal(read, &status) != nil || status.Message == "" {
			status.Message = string(read)
		}
		return nil, fmt.Errorf("%s (status %d)", status.Message, answer.StatusCode)
	}
	return read, nil
}
