// Package controller runs Jobs on a Kubernetes cluster: Stint's engine with the whole loop that a host runs round it.
//
// [Run] lists Jobs and their pods in pages, watches them, sends the requests that the engine asks for, and feeds the
// answers back, until its context ends. A watch that breaks continues where it was; one that the server cannot continue
// (410) lists again; each try waits longer than the one before. An engine that traps is replaced by a fresh one, which
// lists everything again: all that must last is stored in Kubernetes. The package needs an [net/http.Client] that
// authenticates, as client-go's rest.HTTPClientFor gives one, and no client-go.
//
// It leaves out leader election, for which it has a hook ([Config.Fence]), and rate limits, which a RoundTripper of the
// client can have. Exactly one controller may act on a Job at a time.
package controller
