/**
 * Rules of probes and lifecycle hooks (docs/spec/api.md 2.6: V55, V66): exactly one handler, and sensible numbers.
 * Source: pkg/apis/core/validation validateProbe, validateHandler, validateLifecycle.
 */
import { decimal, wordsOf } from "../json/text";
import { ABSENT, JsonNode, STRING } from "../json/tree";
import { FieldErrors } from "./field-errors";
import { portNameProblems } from "../model/name-rules";
import { validateNotNegative, validatePortNumber } from "./validate-numbers";

const FIELDS = "lifecycle,livenessProbe,readinessProbe,startupProbe";
const HANDLERS = "exec,httpGet,tcpSocket,grpc,sleep";
const SCHEMES = "HTTP,HTTPS";

/** Checks V66 for a container, or for an init container that restarts always. */
export function validateHandlers(container: JsonNode, errors: FieldErrors): void {
  const lifecycle = container.object("lifecycle");
  if (lifecycle !== null) {
    validateHook(lifecycle.object("postStart"), errors);
    validateHook(lifecycle.object("preStop"), errors);
  }
  const liveness = container.object("livenessProbe");
  if (liveness !== null) validateProbe(liveness, true, errors);
  const readiness = container.object("readinessProbe");
  if (readiness !== null) validateProbe(readiness, false, errors);
  const startup = container.object("startupProbe");
  if (startup !== null) validateProbe(startup, true, errors);
}

/** Checks V55 for an init container that runs to its end. */
export function forbidHandlers(container: JsonNode, errors: FieldErrors): void {
  const fields = wordsOf(FIELDS);
  for (let i = 0; i < fields.length; i++) {
    if (container.has(fields[i])) {
      errors.forbidden(container.pathOf(fields[i]), "may not be set for init containers without restartPolicy=Always");
    }
  }
}

function validateHook(hook: JsonNode | null, errors: FieldErrors): void {
  if (hook !== null) validateHandler(hook, errors);
}

// Checks a probe. If its failure restarts the container (`restarts`), successThreshold must be 1.
function validateProbe(probe: JsonNode, restarts: bool, errors: FieldErrors): void {
  validateHandler(probe, errors);
  validateNotNegative(probe, "initialDelaySeconds", errors);
  validateNotNegative(probe, "timeoutSeconds", errors);
  validateNotNegative(probe, "periodSeconds", errors);
  validateNotNegative(probe, "successThreshold", errors);
  validateNotNegative(probe, "failureThreshold", errors);
  const successes = probe.integer("successThreshold");
  if (restarts && successes != 1) errors.invalid(probe.pathOf("successThreshold"), decimal(successes), "must be 1");
  const graceSeconds = probe.integer("terminationGracePeriodSeconds");
  if (graceSeconds == ABSENT) return;
  const field = probe.pathOf("terminationGracePeriodSeconds");
  if (!restarts) errors.invalid(field, decimal(graceSeconds), "must not be set for readinessProbes");
  else if (graceSeconds <= 0) errors.invalid(field, decimal(graceSeconds), "must be greater than 0");
}

function validateHandler(handler: JsonNode, errors: FieldErrors): void {
  let handlers = 0;
  const names = wordsOf(HANDLERS);
  for (let i = 0; i < names.length; i++) {
    const action = handler.object(names[i]);
    if (action === null) continue;
    if (handlers++ > 0) errors.forbidden(action.path(), "may not specify more than 1 handler type");
    else validateAction(names[i], action, errors);
  }
  if (handlers == 0) errors.required(handler.path(), "must specify a handler type");
}

function validateAction(kind: string, action: JsonNode, errors: FieldErrors): void {
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
}

// Checks a port: a number, or the name of one of the container's ports.
function validatePort(action: JsonNode, errors: FieldErrors): void {
  const port = action.get("port");
  if (port !== null && port.kind == STRING) errors.invalidEach(port.path(), port.text, portNameProblems(port.text));
  else validatePortNumber(action, "port", errors);
}
