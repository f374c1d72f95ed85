/**
 * Rules of probes and lifecycle hooks (docs/spec/api.md 2.6: V55, V66): exactly one handler, and sensible numbers.
 * Source: pkg/apis/core/validation validateProbe, validateHandler, validateLifecycle.
 */
import { decimal, wordsOf } from "../json/text";
import { ABSENT, JsonNode, STRING } from "../json/tree";
import { FieldErrors } from "./field-errors";
import { portNameProblems } from "../model/name-rules";
import { PodFacts } from "./pod-facts";
import { podRules } from "./pod-rules";
import { validateNotNegative, validatePortNumber } from "./validate-numbers";

const FIELDS = "lifecycle,livenessProbe,readinessProbe,startupProbe";
const PROBE_ACTIONS = "exec,httpGet,tcpSocket,grpc";
const HOOK_ACTIONS = "exec,httpGet,tcpSocket,sleep";
const SCHEMES = "HTTP,HTTPS";

/** Checks V66 for a container, or for an init container that restarts always. */
export function validateHandlers(pod: PodFacts, container: JsonNode, errors: FieldErrors): void {
  const lifecycle = container.object("lifecycle");
  if (lifecycle !== null) {
    validateHook(pod, lifecycle.object("postStart"), errors);
    validateHook(pod, lifecycle.object("preStop"), errors);
  }
  const liveness = container.object("livenessProbe");
  if (liveness !== null) validateProbe(pod, liveness, true, errors);
  const readiness = container.object("readinessProbe");
  if (readiness !== null) validateProbe(pod, readiness, false, errors);
  const startup = container.object("startupProbe");
  if (startup !== null) validateProbe(pod, startup, true, errors);
}

/** Checks V55 for an init container that runs to its end. */
export function forbidHandlers(container: JsonNode, errors: FieldErrors): void {
  const fields = wordsOf(FIELDS);
  for (let i = 0; i < fields.length; i++) {
    if (i == 0 ? hasHooks(container) : container.has(fields[i])) {
      errors.forbidden(container.pathOf(fields[i]), "may not be set for init containers without restartPolicy=Always");
    }
  }
}

// A signal alone is none: it is behind a switch that is off (ContainerStopSignals), and dropped.
function hasHooks(container: JsonNode): bool {
  const lifecycle = container.object("lifecycle");
  return lifecycle !== null && (lifecycle.length != 1 || !lifecycle.has("stopSignal"));
}

function validateHook(pod: PodFacts, hook: JsonNode | null, errors: FieldErrors): void {
  if (hook !== null) validateHandler(pod, hook, HOOK_ACTIONS, errors);
}

// Checks a probe. If its failure restarts the container (`restarts`), successThreshold must be 1.
function validateProbe(pod: PodFacts, probe: JsonNode, restarts: bool, errors: FieldErrors): void {
  validateHandler(pod, probe, PROBE_ACTIONS, errors);
  validateNotNegative(probe, "initialDelaySeconds", errors);
  validateNotNegative(probe, "timeoutSeconds", errors);
  validateNotNegative(probe, "periodSeconds", errors);
  validateNotNegative(probe, "successThreshold", errors);
  validateNotNegative(probe, "failureThreshold", errors);
  const graceSeconds = probe.integer("terminationGracePeriodSeconds");
  const field = probe.pathOf("terminationGracePeriodSeconds");
  if (graceSeconds != ABSENT && graceSeconds <= 0)
    errors.invalid(field, decimal(graceSeconds), "must be greater than 0");
  const successes = probe.integer("successThreshold");
  if (restarts && successes != 1) errors.invalid(probe.pathOf("successThreshold"), decimal(successes), "must be 1");
  if (!restarts && graceSeconds != ABSENT)
    errors.invalid(field, decimal(graceSeconds), "must not be set for readinessProbes");
}

function validateHandler(pod: PodFacts, handler: JsonNode, actions: string, errors: FieldErrors): void {
  let handlers = 0;
  const names = wordsOf(actions);
  for (let i = 0; i < names.length; i++) {
    const action = handler.object(names[i]);
    if (action === null) continue;
    if (handlers++ > 0) errors.forbidden(action.path(), "may not specify more than 1 handler type");
    else validateAction(pod, names[i], action, errors);
  }
  if (handlers == 0) errors.required(handler.path(), "must specify a handler type");
}

function validateAction(pod: PodFacts, kind: string, action: JsonNode, errors: FieldErrors): void {
  if (kind == "exec") {
    const command = action.list("command");
    if (command === null || command.length == 0) errors.required(action.pathOf("command"));
  } else if (kind == "httpGet") {
    validatePort(action, errors);
    errors.oneOf(action, "scheme", SCHEMES);
  } else if (kind == "tcpSocket") {
    validatePort(action, errors);
  } else if (kind == "grpc") {
    validatePortNumber(action, "port", errors);
  }
  podRules().handler(pod, kind, action, errors);
}

// Checks a port: a number, or the name of one of the container's ports.
function validatePort(action: JsonNode, errors: FieldErrors): void {
  const port = action.get("port");
  if (port !== null && port.kind == STRING) errors.invalidEach(port.path(), port.text, portNameProblems(port.text));
  else validatePortNumber(action, "port", errors);
}
