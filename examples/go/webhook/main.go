// An admission webhook in Go: it sets the defaults of Jobs, refuses what upstream's rules refuse, and Jobs without a
// deadline; it warns of everything else that lint finds, and of Jobs that may make many pods. Its arguments are an
// address and two files: `webhook :8443 tls.crt tls.key`. deploy/webhook has manifests that register such a webhook.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"

	stint "github.com/stint-dev/stint/bindings/go"
	"github.com/stint-dev/stint/bindings/go/admission"
)

const manyPods = 100

func main() {
	address, certificate, key := os.Args[1], os.Args[2], os.Args[3]
	module, err := stint.Embedded()
	if err != nil {
		log.Fatal(err)
	}
	pool := admission.NewPool(module, 0)
	http.Handle("/mutate", &admission.Handler{Pool: pool, Phase: admission.Mutate})
	http.Handle("/validate", &admission.Handler{Pool: pool, Judge: advise})
	server := &http.Server{Addr: address, ReadHeaderTimeout: 5 * time.Second}
	log.Fatal(server.ListenAndServeTLS(certificate, key))
}

func advise(ctx context.Context, engine *stint.Engine, request *admission.Request) (admission.Opinion, error) {
	var opinion admission.Opinion
	if request.Resource.Resource != "jobs" || request.Operation != "CREATE" {
		return opinion, nil
	}
	rules := fmt.Appendf(nil, `{"job": %s, "rules": {%q: "deny"}}`, request.Object, stint.LintNoDeadline)
	report, lintErr := engine.Lint(ctx, rules, time.Now().UnixMilli())
	forecast, err := engine.Forecast(ctx, fmt.Appendf(nil, `{"job": %s}`, request.Object), time.Now().UnixMilli())
	if err = errors.Join(lintErr, err); err != nil {
		return opinion, err
	}
	for _, advice := range report.Advice {
		text := fmt.Sprintf("%s: %s; %s", advice.Field, advice.Sentence, advice.Fix)
		if advice.Severity == "deny" {
			opinion.Denial = text
		} else {
			opinion.Warnings = append(opinion.Warnings, text)
		}
	}
	if most := forecast.Pods.Most; most.Value == nil {
		opinion.Warnings = append(opinion.Warnings, "forecast: no limit of pods, because of "+most.By)
	} else if *most.Value > manyPods {
		opinion.Warnings = append(opinion.Warnings, fmt.Sprintf("forecast: up to %d pods", *most.Value))
	}
	return opinion, nil
}
