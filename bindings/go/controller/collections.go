package controller

// This file says what a controller lists and watches: Jobs and pods, of all namespaces or of each one that is named.
// The API server puts a label on the pods of every Job whose selector it generated, and pods are selected by it. The
// pods of a Job with its own selector lack it, so they are seen only if all pods are watched.

import (
	"net/url"

	stint "github.com/stint-dev/stint/bindings/go"
)

const jobPodLabel = "batch.kubernetes.io/controller-uid"

// collection is a source of the engine, and where the API serves it.
type collection struct {
	source stint.Source
	path   string // Without query.
	// selector is the label selector as encoded in a query; empty: none.
	selector string
}

// collections are those that this configuration needs, numbered from 1.
func (c *Config) collections() []collection {
	type kind struct{ resource, root string }
	kinds := []kind{{"jobs", "/apis/batch/v1"}, {"pods", "/api/v1"}}
	if c.GangScheduling {
		const scheduling = "/apis/scheduling.k8s.io/v1beta1"
		kinds = append(kinds, kind{"workloads", scheduling}, kind{"podgroups", scheduling})
	}
	namespaces := c.Namespaces
	if len(namespaces) == 0 {
		namespaces = []string{""}
	}
	var all []collection
	for _, namespace := range namespaces {
		for _, kind := range kinds {
			made := collection{path: kind.root + "/" + kind.resource}
			if namespace != "" {
				made.path = kind.root + "/namespaces/" + namespace + "/" + kind.resource
			}
			made.source = stint.Source{ID: int32(len(all) + 1), Resource: kind.resource, Namespace: namespace}
			if kind.resource == "pods" && !c.ManualSelectors {
				made.source.IsSelection = true
				made.selector = url.QueryEscape(jobPodLabel)
			}
			all = append(all, made)
		}
	}
	return all
}

// target is the path with a query, as sent on the wire.
func (c *collection) target(query string) string {
	if c.selector != "" {
		query = "labelSelector=" + c.selector + "&" + query
	}
	return c.path + "?" + query
}
