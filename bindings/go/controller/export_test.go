package controller

// This file lets tests see what the package keeps to itself.

import "context"

// Engine is what a controller needs of an engine.
type Engine = engine

// WrapEngines puts something between a controller and each of its engines, which a test can make trap.
func (c *Controller) WrapEngines(wrap func(Engine) Engine) {
	newEngine := c.newEngine
	c.newEngine = func(ctx context.Context) (engine, error) {
		made, err := newEngine(ctx)
		if err != nil {
			return nil, err
		}
		return wrap(made), nil
	}
}

// PermissionOf is what RBAC has to allow for a request.
var PermissionOf = permissionOf

// MaxLineBytes is the longest line of a watch.
const MaxLineBytes = maxLineBytes

// RefusalOf is the error of an answer.
func RefusalOf(method, target string, status int, body string) string {
	return (&refusal{method: method, target: target, answer: &answer{status: status, body: []byte(body)}}).Error()
}
