/**
 * Matches a write with the configurations of webhooks and policies, by what both have in common: rules, and selectors
 * of namespaces and objects.
 */
import { type LabelSelector, matchesLabels } from "../../values/label-selector.ts";
import type { KubeObject } from "../../values/types.ts";
import type { ResourceDefinition, ResourceRequest } from "../contract/context.ts";

export interface Rule {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
  readonly scope?: string;
  /** Only objects with one of these names; all, if there is none. */
  readonly resourceNames?: readonly string[];
}

/** The requests that a configuration selects. */
export interface Criteria {
  readonly rules?: readonly Rule[];
  /** Requests that it excludes from these. */
  readonly excludedRules?: readonly Rule[];
  readonly matchPolicy: "Equivalent" | "Exact";
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
}

/** What the webhook or policy reviews. */
export interface Subject {
  readonly operation: "CREATE" | "UPDATE" | "DELETE";
  readonly object: KubeObject | undefined;
  readonly current: KubeObject | undefined;
  readonly request: ResourceRequest;
}

/** The resource as which a configuration matches a subject; undefined: it does not match. */
export function heardAs(criteria: Criteria, subject: Subject): ResourceDefinition | undefined {
  // An eviction has written before it deletes.
  if (subject.operation === "DELETE" && subject.request.subresource) return undefined;
  if (!matchesNamespace(criteria, subject) || !matchesObject(criteria, subject)) return undefined;
  const { rules = [], excludedRules = [], matchPolicy } = criteria;
  return heardBy(excludedRules, matchPolicy, subject) ? undefined : heardBy(rules, matchPolicy, subject);
}

function heardBy(
  rules: readonly Rule[],
  matchPolicy: Criteria["matchPolicy"],
  subject: Subject,
): ResourceDefinition | undefined {
  const { definition, server } = subject.request;
  if (rules.some((rule) => matches(rule, definition, subject))) return definition;
  if (matchPolicy === "Exact") return undefined;
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

function matchesNamespace({ namespaceSelector }: Criteria, subject: Subject): boolean {
  const name = namespaceOf(subject);
  if (name === "") return true;
  const { server, definition } = subject.request;
  const isItself = definition.resource === "namespaces" && subject.object !== undefined;
  const namespace = isItself ? subject.object : server.store(server.definition("", "namespaces")).get(name)?.object;
  return matchesLabels(namespaceSelector ?? {}, namespace?.metadata.labels);
}

function matchesObject({ objectSelector = {} }: Criteria, { object, current }: Subject): boolean {
  return [object, current].some((one) => one !== undefined && matchesLabels(objectSelector, one.metadata.labels));
}

function matches(
  rule: Rule,
  definition: ResourceDefinition,
  { operation, request, object, current }: Subject,
): boolean {
  const { group, version, resource, isNamespaced } = definition;
  const subresource = request.subresource?.name ?? "";
  const isInScope = rule.scope === undefined || rule.scope === "*" || (rule.scope === "Namespaced") === isNamespaced;
  return (
    isInScope &&
    includes(rule.operations, operation) &&
    includes(rule.apiGroups, group) &&
    includes(rule.apiVersions, version) &&
    (!rule.resourceNames?.length || rule.resourceNames.includes(nameOf({ object, current }))) &&
    (rule.resources ?? []).some((one) => {
      const [itsResource = "", itsSubresource = ""] = one.split("/", 2);
      return includes([itsResource], resource) && includes([itsSubresource], subresource);
    })
  );
}

function nameOf({ object, current }: Pick<Subject, "object" | "current">): string {
  return (object ?? current)!.metadata.name;
}

function includes(items: readonly string[] = [], wanted: string): boolean {
  return items.includes("*") || items.includes(wanted);
}
