/** Which webhooks have to hear of a write: rules, selectors of namespaces and objects, and conditions in CEL. */
import { celEnvironment, celValue, compile } from "../../cel/environment.ts";
import type { JsonObject, KubeObject } from "../../types.ts";
import type { ResourceRequest } from "../context.ts";
import type { ResourceDefinition } from "../definition.ts";
import { type LabelSelector, matchesLabels } from "../../label-selector.ts";

export interface WebhookRule {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
  readonly scope?: string;
}

export interface Webhook {
  readonly name: string;
  readonly clientConfig: ClientConfig;
  readonly rules?: readonly WebhookRule[];
  readonly failurePolicy: "Fail" | "Ignore";
  readonly matchPolicy: "Equivalent" | "Exact";
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly timeoutSeconds: number;
  readonly admissionReviewVersions: readonly string[];
  readonly reinvocationPolicy?: "Never" | "IfNeeded";
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
}

export interface ClientConfig {
  readonly url?: string;
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly path?: string;
    readonly port: number;
  };
  /** Base64 of PEM. */
  readonly caBundle?: string;
}

/** What is to be reviewed. */
export interface Subject {
  readonly operation: "CREATE" | "UPDATE" | "DELETE";
  readonly object: KubeObject | undefined;
  readonly current: KubeObject | undefined;
  readonly request: ResourceRequest;
}

/** What an expression may ask. */
export const CONDITION_VARIABLES = { object: "dyn", oldObject: "dyn", request: "dyn" };

/** The resource as which a webhook hears of a subject; undefined: it does not. */
export function heardAs(webhook: Webhook, subject: Subject): ResourceDefinition | undefined {
  if (!matchesNamespace(webhook, subject) || !matchesObject(webhook, subject)) return undefined;
  const { definition, server } = subject.request;
  const { rules = [] } = webhook;
  if (rules.some((rule) => matches(rule, definition, subject))) return definition;
  if (webhook.matchPolicy === "Exact") return undefined;
  const others = server.definitions.filter((other) => other !== definition && other.storage === definition.storage);
  return others.find((other) => rules.some((rule) => matches(rule, other, subject)));
}

/** For a Namespace this is itself. */
export function namespaceOf({ request, object, current }: Subject): string {
  const { definition, namespace } = request;
  return definition.group === "" && definition.resource === "namespaces"
    ? (object ?? current)!.metadata.name
    : namespace;
}

function matchesNamespace({ namespaceSelector }: Webhook, subject: Subject): boolean {
  const name = namespaceOf(subject);
  if (name === "") return true;
  const { server, definition } = subject.request;
  const isItself = definition.resource === "namespaces" && subject.object !== undefined;
  const namespace = isItself ? subject.object : server.store(server.definition("", "namespaces")).get(name)?.object;
  return matchesLabels(namespaceSelector ?? {}, namespace?.metadata.labels);
}

function matchesObject({ objectSelector = {} }: Webhook, { object, current }: Subject): boolean {
  return [object, current].some((one) => one !== undefined && matchesLabels(objectSelector ?? {}, one.metadata.labels));
}

function matches(rule: WebhookRule, definition: ResourceDefinition, { operation, request }: Subject): boolean {
  const { group, version, resource, isNamespaced } = definition;
  const subresource = request.subresource?.name ?? "";
  const isInScope = rule.scope === undefined || rule.scope === "*" || (rule.scope === "Namespaced") === isNamespaced;
  return (
    isInScope &&
    includes(rule.operations, operation) &&
    includes(rule.apiGroups, group) &&
    includes(rule.apiVersions, version) &&
    (rule.resources ?? []).some((one) => {
      const [itsResource = "", itsSubresource = ""] = one.split("/", 2);
      return includes([itsResource], resource) && includes([itsSubresource], subresource);
    })
  );
}

function includes(items: readonly string[] = [], wanted: string): boolean {
  return items.includes("*") || items.includes(wanted);
}

/**
 * Whether all conditions hold.
 * @throws Error with what kept one from being evaluated, if no other one fails
 */
export function meetsConditions({ matchConditions = [] }: Webhook, review: JsonObject): boolean {
  if (matchConditions.length === 0) return true;
  const environment = celEnvironment(CONDITION_VARIABLES);
  const { object = null, oldObject = null, ...request } = review;
  const variables = { object: celValue(object), oldObject: celValue(oldObject), request: celValue(request) };
  const errors: string[] = [];
  for (const { expression } of matchConditions) {
    try {
      if (compile(expression, environment, ["bool"]).evaluate(variables) !== true) return false;
    } catch (error) {
      errors.push(`expression '${expression}' resulted in error: ${(error as Error).message}`);
    }
  }
  if (errors.length > 0) throw new Error(errors.join(", "));
  return true;
}
