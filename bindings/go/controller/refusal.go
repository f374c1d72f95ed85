package controller

// This file makes an error of an answer that is a refusal. Invariants: the text has a limited length and no character
// that ends a line or controls a terminal; for 401 and 403 it names the permission that is missing.

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"unicode/utf8"
)

const maxMessageBytes = 400

// refusal is the answer of a server that did not do what it was asked for.
type refusal struct {
	method, target string
	isWatch        bool
	answer         *answer
}

func (r *refusal) Error() string {
	path, _, _ := strings.Cut(r.target, "?")
	text := fmt.Sprintf("%s %s was answered %d", r.method, path, r.answer.status)
	if message := messageIn(r.answer.body); message != "" {
		text += ": " + message
	}
	if advice := r.advice(); advice != "" {
		text += "; " + advice
	}
	return text
}

// advice says what to do about 401 and 403; empty: nothing is known.
func (r *refusal) advice() string {
	switch r.answer.status {
	case http.StatusUnauthorized:
		return "Config.Client has no credentials that this server takes, or they have expired: give it others"
	case http.StatusForbidden:
		return "the role of this user needs " + permissionOf(r.method, r.target, r.isWatch)
	}
	return ""
}

// permissionOf is what RBAC has to allow for a request: `the verb "create" on "pods" in the API group ""`.
func permissionOf(method, target string, isWatch bool) string {
	path, _, _ := strings.Cut(target, "?")
	parts := strings.Split(strings.Trim(path, "/"), "/")
	group := ""
	if parts[0] == "apis" && len(parts) > 1 {
		group, parts = parts[1], parts[1:]
	}
	parts = parts[min(2, len(parts)):] // Without group and version.
	namespace := ""
	if len(parts) > 2 && parts[0] == "namespaces" {
		namespace, parts = parts[1], parts[2:]
	}
	if len(parts) == 0 {
		return fmt.Sprintf("the verb %q on %q", strings.ToLower(method), path)
	}
	resource := parts[0]
	if len(parts) > 2 {
		resource += "/" + parts[2] // A permission does not depend on the name between them.
	}
	text := fmt.Sprintf("the verb %q on %q in the API group %q", verbOf(method, len(parts) > 1, isWatch), resource, group)
	if namespace != "" {
		text += fmt.Sprintf(", in the namespace %q", namespace)
	}
	return text
}

func verbOf(method string, isNamed, isWatch bool) string {
	switch {
	case method == http.MethodPost:
		return "create"
	case method == http.MethodPut:
		return "update"
	case method != http.MethodGet:
		return strings.ToLower(method)
	case isWatch:
		return "watch"
	case isNamed:
		return "get"
	}
	return "list"
}

// unprintable are control characters, and those that change the direction of text or end a line.
var unprintable = regexp.MustCompile(`[\s\x00-\x1f\x7f-\x{9f}\x{200e}\x{200f}\x{2028}-\x{202e}\x{2066}-\x{2069}]+`)

// messageIn is the message of the Status in a body; else the text of the body, because proxies answer with text.
func messageIn(body []byte) string {
	text := string(body[:min(len(body), maxRefusalBytes)])
	var status *struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(body, &status) == nil {
		text = ""
		if status != nil {
			text = status.Message
		}
	}
	return printable(text)
}

func printable(text string) string {
	text = strings.TrimSpace(unprintable.ReplaceAllString(strings.ToValidUTF8(text, "\uFFFD"), " "))
	if len(text) <= maxMessageBytes {
		return text
	}
	end := maxMessageBytes
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
