/**
 * Validates and defaults the configurations of admission webhooks. Source: pkg/apis/admissionregistration. Leaves out
 * the rules of label selectors.
 */
import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ServiceReference,
  ValidatingWebhookConfiguration,
  WebhookClientConfig,
} from "../../values/kinds.ts";
import { CONDITION_VARIABLES } from "./webhook-matching.ts";
import type { Strategy } from "../contract/context.ts";
import { deepEqual } from "../../values/json.ts";
import { subdomainErrors } from "../../values/names.ts";
import type { FieldError, Violation } from "../contract/status-errors.ts";
import { conditionErrors, ruleErrors, withScope } from "./rule-errors.ts";
import { among } from "../strategies/field-errors.ts";

const NO_SIDE_EFFECTS = ["None", "NoneOnDryRun"];
const REVIEW_VERSIONS = ["v1", "v1beta1"];
const URL_FORM = "; desired format: https://host[/path]";

type Configuration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;
/** Of both kinds: a validating one has no policy of reinvocation. */
type Webhook = MutatingWebhook;

export const validatingWebhookStrategy = strategyOf({});
export const mutatingWebhookStrategy = strategyOf({ reinvocationPolicy: "Never" });

function strategyOf(more: Partial<Webhook>): Strategy<Configuration> {
  const prepare = (configuration: Configuration): Configuration => {
    const webhooks: readonly Webhook[] | undefined = configuration.webhooks;
    return webhooks ? { ...configuration, webhooks: webhooks.map((one) => withDefaults(one, more)) } : configuration;
  };
  return {
    prepareCreate: prepare,
    prepareUpdate: (configuration, current) => withGeneration(prepare(configuration), current),
    validate: errorsOf,
  };
}

/** It counts the changes of the webhooks. */
function withGeneration(configuration: Configuration, current: Configuration): Configuration {
  if (deepEqual(configuration.webhooks, current.webhooks)) return configuration;
  const generation = (current.metadata.generation ?? 0) + 1;
  return { ...configuration, metadata: { ...configuration.metadata, generation } };
}

function withDefaults(webhook: Webhook, more: Partial<Webhook>): Webhook {
  const { clientConfig, rules } = webhook;
  const service = clientConfig?.service;
  return {
    failurePolicy: "Fail",
    matchPolicy: "Equivalent",
    namespaceSelector: {},
    objectSelector: {},
    timeoutSeconds: 10,
    ...more,
    ...webhook,
    ...(service && { clientConfig: { ...clientConfig, service: { port: 443, ...service } } }),
    ...(rules && { rules: rules.map(withScope) }),
  };
}

function errorsOf(configuration: Configuration): Violation[] {
  const webhooks: readonly Webhook[] = configuration.webhooks ?? [];
  const names = webhooks.map(({ name }) => name);
  return webhooks.flatMap((webhook, index) => {
    const field = `webhooks[${index}]`;
    const errors = [...webhookErrors(webhook, field), ...versionErrors(webhook, `${field}.admissionReviewVersions`)];
    if (webhook.name && names.indexOf(webhook.name) < index)
      errors.push({ kind: "Duplicate", field: `${field}.name`, value: webhook.name });
    return errors;
  });
}

function webhookErrors(webhook: Webhook, field: string): Violation[] {
  const { name, rules = [], sideEffects, timeoutSeconds } = webhook;
  const errors = [
    ...nameErrors(name, `${field}.name`),
    ...rules.flatMap((rule, index) => ruleErrors(rule, `${field}.rules[${index}]`)),
    ...among(webhook, "failurePolicy", ["Fail", "Ignore"], field),
    ...among(webhook, "matchPolicy", ["Equivalent", "Exact"], field),
  ];
  if (sideEffects === undefined || sideEffects === null) {
    const detail = `must specify one of ${NO_SIDE_EFFECTS.join(", ")}`;
    errors.push({ kind: "Required", field: `${field}.sideEffects`, detail });
  } else errors.push(...among(webhook, "sideEffects", NO_SIDE_EFFECTS, field));
  if (timeoutSeconds! < 1 || timeoutSeconds! > 30)
    errors.push({
      kind: "Invalid",
      field: `${field}.timeoutSeconds`,
      value: timeoutSeconds,
      detail: "the timeout value must be between 1 and 30 seconds",
    });
  return [
    ...errors,
    ...clientErrors(webhook.clientConfig, `${field}.clientConfig`),
    ...conditionErrors(webhook.matchConditions ?? [], CONDITION_VARIABLES, `${field}.matchConditions`),
  ];
}

function nameErrors(name: string, field: string): FieldError[] {
  if (!name) return [{ kind: "Required", field, detail: "" }];
  const errors = subdomainErrors(name).map((detail): FieldError => ({ kind: "Invalid", field, value: name, detail }));
  if (errors.length === 0 && name.split(".").length < 3) {
    const detail = "should be a domain with at least three segments separated by dots";
    errors.push({ kind: "Invalid", field, value: name, detail });
  }
  return errors;
}

function versionErrors({ admissionReviewVersions }: Webhook, field: string): FieldError[] {
  const versions = admissionReviewVersions ?? [];
  const known = REVIEW_VERSIONS.join(", ");
  if (versions.length === 0) return [{ kind: "Required", field, detail: `must specify one of ${known}` }];
  if (versions.some((version) => REVIEW_VERSIONS.includes(version))) return [];
  return [{ kind: "Invalid", field, value: [...versions], detail: `must include at least one of ${known}` }];
}

function clientErrors(client: WebhookClientConfig = {}, field: string): FieldError[] {
  const { url, service } = client;
  if ((url === undefined) === (service === undefined))
    return [{ kind: "Required", field, detail: "exactly one of url or service is required" }];
  return url === undefined ? serviceErrors(service!, `${field}.service`) : urlErrors(url, `${field}.url`);
}

const URL_PARTS = /^(?:([a-z][a-z0-9+.-]*):)?(?:\/\/(?:([^/?#]*)@)?([^/?#]*))?[^?#]*(?:\?([^#]*))?(?:#(.*))?$/i;

function urlErrors(text: string, field: string): FieldError[] {
  const [, scheme = "", user = "", host = "", query = "", fragment = ""] = URL_PARTS.exec(text) ?? [];
  const errors: FieldError[] = [];
  const refuse = (value: string, detail: string): unknown => errors.push({ kind: "Invalid", field, value, detail });
  if (scheme.toLowerCase() !== "https") refuse(scheme, `'https' is the only allowed URL scheme${URL_FORM}`);
  if (host === "") refuse("", `host must be specified${URL_FORM}`);
  if (user !== "") refuse(user, "user information is not permitted in the URL");
  if (fragment !== "") refuse(fragment, "fragments are not permitted in the URL");
  if (query !== "") refuse(query, "query parameters are not permitted in the URL");
  return errors;
}

function serviceErrors({ name, namespace, port, path }: ServiceReference, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (!name) errors.push({ kind: "Required", field: `${field}.name`, detail: "" });
  if (!namespace) errors.push({ kind: "Required", field: `${field}.namespace`, detail: "" });
  if (port! < 1 || port! > 65535)
    errors.push({
      kind: "Invalid",
      field: `${field}.port`,
      value: port,
      detail: "port is not valid: must be between 1 and 65535, inclusive",
    });
  if (path !== undefined && path !== "" && !path.startsWith("/"))
    errors.push({ kind: "Invalid", field: `${field}.path`, value: path, detail: "must start with a '/'" });
  return errors;
}
