/**
 * Admission by ValidatingAdmissionPolicies: evaluates each policy once for each matching binding and its parameters,
 * and acts on the result. Leaves out audit annotations and the action Audit, since no component keeps an audit log; and
 * bindings, evictions and connections of pods.
 */
import { celValue } from "../../cel/environment.ts";
import { matchesLabels } from "../../values/label-selector.ts";
import type { Json, KubeObject } from "../../values/types.ts";
import { keyOf, type ResourceDefinition, type ServerContext } from "../contract/context.ts";
import { resourceName } from "../verbs/create.ts";
import { failure, forbidden } from "../contract/status-errors.ts";
import type { Store } from "../storage/store.ts";
import type { AdmissionPlugin } from "./chain.ts";
import { ADMISSION_GROUP, configurations } from "./configurations.ts";
import { heardAs, namespaceOf, type Subject } from "./matching.ts";
import { type BindingSpec, criteriaOf, type ParamKind, type ParamRef, type PolicySpec } from "./policy.ts";
import { type Activation, type Objection, programsOf } from "./policy-programs.ts";
import { requestOf } from "./review-request.ts";

const POLICIES = "validatingadmissionpolicies";
const BINDINGS = "validatingadmissionpolicybindings";
const RESOURCES = [POLICIES, BINDINGS];
const CODES: Readonly<Record<string, number>> = { Forbidden: 403, RequestEntityTooLarge: 413, Invalid: 422 };

/** An objection that counts. */
interface Denial extends Objection {
  readonly policy: string;
  readonly binding?: string;
}

export const validatingPolicies: AdmissionPlugin = {
  looksAtOwners: (server) => configurations(BINDINGS, server).length > 0,
  validate(object, current, request) {
    const { server, definition } = request;
    // A policy must not keep an administrator from repairing it.
    if (definition.group === ADMISSION_GROUP && RESOURCES.includes(definition.resource)) return;
    const bindings = configurations(BINDINGS, server);
    if (bindings.length === 0) return;
    const operation = object === undefined ? "DELETE" : current ? "UPDATE" : "CREATE";
    const subject: Subject = { operation, object, current, request };
    const denials = configurations(POLICIES, server).flatMap((policy) => {
      const itsBindings = bindings.filter(({ spec }) => (spec as BindingSpec).policyName === policy.metadata.name);
      return denialsBy(policy, itsBindings, subject);
    });
    if (denials.length > 0) throw refusal(denials[0]!, subject);
  },
};

function denialsBy(policy: KubeObject, bindings: readonly KubeObject[], subject: Subject): Denial[] {
  const spec = policy["spec"] as PolicySpec;
  const heard = bindings.length > 0 ? heardAs(criteriaOf(spec.matchConstraints!), subject) : undefined;
  if (heard === undefined) return [];
  const named = { policy: policy.metadata.name };
  const paramsDefinition = paramsDefinitionOf(spec.paramKind, subject.request.server);
  if (paramsDefinition === "unknown")
    return configurationDenials(
      spec,
      named,
      "policy",
      `failed to find resource referenced by paramKind: '${goKind(spec.paramKind!)}'`,
    );
  const given = activationOf(subject, heard);
  return bindings.flatMap((binding) => {
    const { matchResources, paramRef, validationActions } = binding["spec"] as BindingSpec;
    if (matchResources && heardAs(criteriaOf(matchResources), subject) === undefined) return [];
    const both = { ...named, binding: binding.metadata.name };
    const params = paramsOf(paramsDefinition, paramRef, subject);
    if (typeof params === "string") return configurationDenials(spec, both, "binding", params);
    const objections = params.flatMap((one) => programsOf(policy).objections({ ...given, params: celValue(one) }));
    if (validationActions.includes("Warn"))
      for (const { message } of objections) subject.request.warnings.add(warningOf(both, message));
    return validationActions.includes("Deny") ? objections.map((objection) => ({ ...both, ...objection })) : [];
  });
}

function warningOf({ policy, binding }: { policy: string; binding: string }, message: string): string {
  return `Validation failed for ValidatingAdmissionPolicy '${policy}' with binding '${binding}': ${message}`;
}

function configurationDenials(
  { failurePolicy }: PolicySpec,
  names: Pick<Denial, "policy" | "binding">,
  what: string,
  why: string,
): Denial[] {
  return failurePolicy === "Ignore" ? [] : [{ ...names, message: `failed to configure ${what}: ${why}` }];
}

/** What `%v` makes of a GroupVersionKind. */
function goKind({ apiVersion, kind }: ParamKind): string {
  return apiVersion.includes("/") ? `${apiVersion}, Kind=${kind}` : `/${apiVersion}, Kind=${kind}`;
}

/** Undefined: the policy has no parameters. */
function paramsDefinitionOf(
  paramKind: ParamKind | undefined,
  { definitions }: ServerContext,
): ResourceDefinition | "unknown" | undefined {
  if (paramKind === undefined) return undefined;
  const { apiVersion, kind } = paramKind;
  return definitions.find(({ body }) => body.apiVersion === apiVersion && body.kind === kind) ?? "unknown";
}

/** The parameters, with each of which a policy is evaluated, null if there are none; or why they cannot be found. */
function paramsOf(
  definition: ResourceDefinition | undefined,
  ref: ParamRef | undefined,
  subject: Subject,
): readonly (Json | null)[] | string {
  if (definition === undefined || ref === undefined) return [null];
  const { isNamespaced } = definition;
  const namespace = isNamespaced ? ref.namespace || namespaceOf(subject) : "";
  if (isNamespaced && namespace === "")
    return "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources";
  if (!isNamespaced && ref.namespace) return "paramRef.namespace must not be provided for a cluster-scoped `paramKind`";
  const found = foundParams(subject.request.server.store(definition), namespace, ref);
  if (found.length === 0 && ref.parameterNotFoundAction === "Deny")
    return "no params found for policy binding with `Deny` parameterNotFoundAction";
  return found.map((object) => (definition.conversion?.fromStored(object) ?? object) as unknown as Json);
}

function foundParams(store: Store, namespace: string, { name, selector }: ParamRef): KubeObject[] {
  if (name) {
    const stored = store.get(keyOf(namespace, name));
    return stored ? [stored.object] : [];
  }
  const all = [...store.scan(namespace === "" ? "" : `${namespace}/`, "")].map(({ object }) => object);
  return all.filter(({ metadata }) => matchesLabels(selector, metadata.labels));
}

function activationOf(subject: Subject, heard: ResourceDefinition): Activation {
  const { object = null, oldObject = null, ...request } = requestOf(subject, heard);
  return {
    object: celValue(object),
    oldObject: celValue(oldObject),
    request: celValue(request),
    namespaceObject: celValue(namespaceObjectOf(subject)),
  };
}

/** The namespace as expressions see it. A Namespace is in no namespace. */
function namespaceObjectOf(subject: Subject): Json {
  const { server, definition, namespace } = subject.request;
  if (!definition.isNamespaced) return null;
  const stored = server.store(server.definition("", "namespaces")).get(namespace)?.object;
  if (stored === undefined) return null;
  const { managedFields: _fields, ownerReferences: _owners, ...metadata } = stored.metadata;
  return { metadata, spec: stored["spec"], status: stored["status"] } as unknown as Json;
}

function refusal(
  { policy, binding, message, reason = "Invalid" }: Denial,
  { request, object, current }: Subject,
): Error {
  const by = binding === undefined ? `'${policy}'` : `'${policy}' with binding '${binding}'`;
  const why = `ValidatingAdmissionPolicy ${by} denied request: ${message}`;
  const { status } = forbidden(resourceName(request), (object ?? current)!.metadata.name, why);
  return failure({
    code: CODES[reason] ?? 422,
    reason,
    message: status.message!,
    details: { ...status.details, causes: [{ message: why }] },
  });
}
