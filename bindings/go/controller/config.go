package controller

// This file has the settings of a controller, their defaults and their limits. Invariant: a session never sees a
// setting that is missing or contradicts another. What the engine itself refuses is left to the engine.

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	stint "github.com/stint-dev/stint/bindings/go"
)

// DefaultManagedBy and DefaultFinalizer are those of `stint controller`.
const (
	DefaultManagedBy = "stint.dev/job-controller"
	DefaultFinalizer = "stint.dev/job-tracking"
)

// MaxNamespaces is the most that [Config.Namespaces] may name: an engine takes 64 sources, and a namespace needs up to
// four.
const MaxNamespaces = 16

const (
	defaultMaxInFlight     = 32
	defaultPageLimit       = 500
	defaultRequestTimeout  = 10 * time.Second
	defaultIdleTimeout     = 150 * time.Second
	defaultShutdownTimeout = 15 * time.Second
)

// Config says which cluster a controller talks to, which Jobs it runs, and how. Only Host has no default.
type Config struct {
	// Module is the engine. nil: that of [stint.Embedded]; one of [stint.Compile] stays the caller's to close, after the
	// controller has ended.
	Module *stint.Module

	// Host is the URL of the API server: that of client-go's rest.Config, for example https://10.0.0.1:6443. It may end in
	// a path, which prefixes all others.
	Host string
	// Client sends all requests. It authenticates, and trusts the server's certificate: client-go's rest.HTTPClientFor
	// makes such a client. Its Timeout and its CheckRedirect are not used: a watch has no end, and no redirect is
	// followed. Nil: [http.DefaultClient].
	Client *http.Client
	// UserAgent is sent with each request. The part before its first slash becomes the field manager. Empty: stint.
	UserAgent string

	// Namespaces limits the controller to Jobs of these. Empty: all namespaces. At most [MaxNamespaces].
	Namespaces []string
	// ManagedBy is the spec.managedBy of the Jobs that this controller runs. Empty: [DefaultManagedBy].
	ManagedBy string
	// DefaultController runs the Jobs that name no controller instead, in a cluster where the built-in Job controller is
	// off. Were both on, both would create pods.
	DefaultController bool
	// Finalizer keeps a pod until it is counted. Empty: [DefaultFinalizer]; with DefaultController it is always the
	// built-in controller's.
	Finalizer string
	// ManualSelectors also runs Jobs with spec.manualSelector. All pods are watched then, and not only those of Jobs.
	ManualSelectors bool
	// RemovesFinished deletes finished Jobs when their ttlSecondsAfterFinished is over. Nil: only with
	// DefaultController, because the TTL controller of the cluster deletes Jobs of every manager.
	RemovesFinished *bool
	// GangScheduling gives Jobs a Workload and a PodGroup, by which a scheduler starts the pods of a gang together.
	GangScheduling bool
	// Constants are upstream's constants under the names Constant… of package stint.
	Constants map[string]int64

	// Fence is asked before each write whether this process may write: `func() bool { return elector.IsLeader() }`.
	// Once it has said no, nothing is written any more, and Run ends with [ErrFenced]. A write that was let pass may
	// arrive as much as RequestTimeout later; a lease must last longer than that. Calls come one at a time, and must not
	// wait. Nil: no other replica ever runs.
	Fence func() bool
	// OnDecisions gets the engine's decisions as it takes them, in order. Calls come one at a time; the controller waits
	// for them.
	OnDecisions func([]stint.Decision)
	// Logger gets problems that were overcome (Warn), the ends of Jobs (Info) and every other decision (Debug). Nil:
	// [slog.Default].
	Logger *slog.Logger

	// MaxInFlight is the most requests under way at once, beside one list or watch a source. 0: 32.
	MaxInFlight int
	// PageLimit is the number of objects in a page of a list. 0: 500.
	PageLimit int
	// RequestTimeout is the longest time for an answer, and for the beginning of a watch. 0: 10 s.
	RequestTimeout time.Duration
	// IdleTimeout is the longest silence of a watch; a healthy server sends something once a minute. 0: 150 s.
	IdleTimeout time.Duration
	// ShutdownTimeout is how long requests under way may take after the context has ended. 0: 15 s.
	ShutdownTimeout time.Duration
}

var namespaceName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)

// withDefaults is the configuration with everything in its place, or what is wrong with it.
func (c Config) withDefaults() (Config, error) {
	if c.Module == nil {
		module, err := stint.Embedded()
		if err != nil {
			return c, err
		}
		c.Module = module
	}
	if err := c.checkHost(); err != nil {
		return c, err
	}
	if err := c.checkNamespaces(); err != nil {
		return c, err
	}
	if c.DefaultController && (c.ManagedBy != "" || c.Finalizer != "") {
		return c, errors.New("controller: Config.DefaultController is set together with ManagedBy or Finalizer; " +
			"the Jobs of the built-in controller have no managedBy, and have its finalizer: leave one of them out")
	}
	if !c.DefaultController {
		setDefault(&c.ManagedBy, DefaultManagedBy)
		setDefault(&c.Finalizer, DefaultFinalizer)
	}
	setDefault(&c.Client, http.DefaultClient)
	setDefault(&c.UserAgent, "stint")
	setDefault(&c.Logger, slog.Default())
	setDefault(&c.MaxInFlight, defaultMaxInFlight)
	setDefault(&c.PageLimit, defaultPageLimit)
	setDefault(&c.RequestTimeout, defaultRequestTimeout)
	setDefault(&c.IdleTimeout, defaultIdleTimeout)
	setDefault(&c.ShutdownTimeout, defaultShutdownTimeout)
	for name, value := range map[string]int64{
		"MaxInFlight":     int64(c.MaxInFlight),
		"PageLimit":       int64(c.PageLimit),
		"RequestTimeout":  int64(c.RequestTimeout),
		"IdleTimeout":     int64(c.IdleTimeout),
		"ShutdownTimeout": int64(c.ShutdownTimeout),
	} {
		if value < 0 {
			return c, fmt.Errorf("controller: Config.%s is negative; allowed is 0 for the default, or more", name)
		}
	}
	return c, nil
}

func setDefault[T comparable](setting *T, value T) {
	var none T
	if *setting == none {
		*setting = value
	}
}

func (c *Config) checkHost() error {
	server, err := url.Parse(c.Host)
	if err != nil || server.Host == "" || (server.Scheme != "https" && server.Scheme != "http") ||
		server.User != nil || server.RawQuery != "" || server.Fragment != "" {
		return fmt.Errorf("controller: Config.Host is %q; expected the URL of an API server, such as "+
			"https://10.0.0.1:6443, without a query: the Host of client-go's rest.Config", c.Host)
	}
	c.Host = strings.TrimRight(c.Host, "/")
	return nil
}

func (c *Config) checkNamespaces() error {
	c.Namespaces = slices.Compact(slices.Sorted(slices.Values(c.Namespaces)))
	if len(c.Namespaces) > MaxNamespaces {
		return fmt.Errorf("controller: Config.Namespaces names %d; allowed are %d, or none for all",
			len(c.Namespaces), MaxNamespaces)
	}
	for _, name := range c.Namespaces {
		if !namespaceName.MatchString(name) {
			return fmt.Errorf("controller: Config.Namespaces has %q; expected the name of a namespace: at most 63 small "+
				"letters, digits and -", name)
		}
	}
	return nil
}

// engineConfiguration is for an engine that follows these sources. Each engine has its own instance ID, so that no two
// of them give an event the same name.
func (c *Config) engineConfiguration(collections []collection) stint.Configuration {
	const instanceBytes = 8
	instance := make([]byte, instanceBytes)
	rand.Read(instance)
	configuration := stint.Configuration{
		Instance:        hex.EncodeToString(instance),
		ManagedBy:       c.ManagedBy,
		Finalizer:       c.Finalizer,
		RemovesFinished: c.RemovesFinished,
		Constants:       c.Constants,
		GangScheduling:  c.GangScheduling,
	}
	for _, collection := range collections {
		configuration.Sources = append(configuration.Sources, collection.source)
	}
	return configuration
}
