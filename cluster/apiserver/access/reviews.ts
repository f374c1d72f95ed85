/**
 * Reviews, which the server answers and does not store: who am I, whose token is this, may a user do something, and
 * what may I do. A client posts the review as an object, and gets it back with its status.
 */
import type { JsonObject, KubeObject } from "../../values/types.ts";
import type { Outcome, ResourceDefinition, ResourceRequest, User } from "../contract/context.ts";
import { readBody } from "../verbs/create.ts";
import { defineServed } from "../contract/served-resource.ts";
import { badRequest, type FieldError, invalid } from "../contract/status-errors.ts";
import { isAhead } from "../../values/kubernetes-changes.ts";
import { formatTime } from "../../values/times.ts";
import { writeOptions } from "../verbs/write-options.ts";
import type { Attributes } from "./attributes.ts";
import { type Authorizer, joined } from "./authorizer.ts";
import { COMPONENT } from "./users.ts";

const ONE_TARGET = "exactly one of nonResourceAttributes or resourceAttributes must be specified";

export interface Access {
  readonly authorizer: Authorizer;
  /** The owner of a token. @param audiences the token must be meant for one of these; empty: for this server */
  tokenOwner(token: string, audiences: readonly string[]): TokenOwner;
}

export interface TokenOwner {
  /** Undefined: the token belongs to no user. */
  readonly user: User | undefined;
  /** The requested audiences for which the token is valid. */
  readonly audiences: readonly string[];
  /** Why it belongs to no user, if more is known. */
  readonly error?: string;
}

type Review = KubeObject & { readonly spec: Record<string, any> };
/** Makes the status of a review. @throws ApiError if the question is not valid */
type Answer = (
  review: Review,
  request: ResourceRequest,
) => { readonly metadata?: JsonObject; readonly status: JsonObject };

export function reviewResources({ authorizer, tokenOwner }: Access): readonly ResourceDefinition[] {
  const decided = (attributes: Attributes, { server }: ResourceRequest): ReturnType<Answer> => {
    const { isAllowed, reason } = authorizer.decide(attributes, server);
    return { status: { allowed: isAllowed, ...(reason !== "" && { reason }) } };
  };
  const ask = (user: User) => (review: Review, request: ResourceRequest) =>
    decided(askedFor(review.spec, user), request);

  return [
    question("authentication.k8s.io", "SelfSubjectReview", false, (_review, { user, server }) => ({
      metadata: { creationTimestamp: formatTime(server.clock.now()) },
      status: { userInfo: userInfo(user ?? COMPONENT) },
    })),
    question("authentication.k8s.io", "TokenReview", false, ({ spec }) => {
      if (!spec["token"]) throw badRequest("token is required for TokenReview in authentication");
      const { user, audiences, error } = tokenOwner(spec["token"], spec["audiences"] ?? []);
      return {
        status:
          user === undefined
            ? { user: {}, error: error ?? "invalid bearer token" }
            : { authenticated: true, user: userInfo(user), audiences: [...audiences] },
      };
    }),
    question("authorization.k8s.io", "SelfSubjectAccessReview", false, (review, request) => {
      refuse(review, request, [...targetErrors(review.spec, request), ...metadataErrors(review, "must be empty")]);
      return ask(request.user ?? COMPONENT)(review, request);
    }),
    question("authorization.k8s.io", "SubjectAccessReview", false, (review, request) => {
      const { spec } = review;
      refuse(review, request, [
        ...targetErrors(spec, request),
        ...subjectErrors(spec),
        ...metadataErrors(review, "must be empty"),
      ]);
      return ask(subjectOf(spec))(review, request);
    }),
    question("authorization.k8s.io", "LocalSubjectAccessReview", true, (review, request) => {
      const { spec } = review;
      refuse(review, request, [...targetErrors(spec, request), ...subjectErrors(spec), ...localErrors(review)]);
      if (review.metadata.namespace !== request.namespace)
        throw badRequest(`spec.resourceAttributes.namespace must match namespace: ${request.namespace}`);
      return ask(subjectOf(spec))(review, request);
    }),
    question("authorization.k8s.io", "SelfSubjectRulesReview", false, ({ spec }, { user, server }) => {
      if (!spec["namespace"]) throw badRequest("no namespace on request");
      const { rules, errors } = authorizer.rulesFor(user ?? COMPONENT, spec["namespace"], server);
      return { status: rulesStatus(rules, errors) };
    }),
  ];
}

function question(group: string, kind: string, isNamespaced: boolean, answer: Answer): ResourceDefinition {
  const resource = `${kind.toLowerCase()}s`;
  return defineServed(
    { group, resource, kind },
    { isNamespaced, verbs: ["create"], create: (request) => answered(request, answer) },
  );
}

function answered(request: ResourceRequest, answer: Answer): Outcome {
  const { body } = request.definition;
  const { fieldValidation } = writeOptions(request.query, "CreateOptions");
  const review = readBody(request, body, fieldValidation);
  const { metadata, status } = answer({ ...review, spec: review["spec"] ?? {} }, request);
  const { kind, apiVersion } = body;
  const object: JsonObject = { kind, apiVersion, metadata: metadata ?? (review.metadata as unknown as JsonObject) };
  // A SelfSubjectReview has no spec: its status shows the sender.
  if (kind !== "SelfSubjectReview") object["spec"] = kind === "SelfSubjectRulesReview" ? {} : review["spec"];
  object["status"] = status;
  return { code: 201, object: object as unknown as KubeObject };
}

function userInfo({ name, uid, groups, extra = {} }: User): JsonObject {
  const hasExtra = Object.keys(extra).length > 0;
  return {
    username: name,
    ...(uid !== undefined && uid !== "" && { uid }),
    groups: [...groups],
    ...(hasExtra && { extra: extra as JsonObject }),
  };
}

function subjectOf({ user = "", groups = [], uid = "", extra = {} }: Record<string, any>): User {
  return { name: user, groups, uid, extra };
}

function askedFor({ resourceAttributes, nonResourceAttributes }: Record<string, any>, user: User): Attributes {
  if (resourceAttributes === undefined) {
    const { path = "", verb = "" } = nonResourceAttributes;
    return { user, verb, target: path };
  }
  const { verb = "", group = "", resource = "", subresource = "", namespace = "", name = "" } = resourceAttributes;
  return { user, verb, target: { group, resource, subresource, namespace, name } };
}

function rulesStatus(rules: ReturnType<Authorizer["rulesFor"]>["rules"], errors: readonly string[]): JsonObject {
  const ofResources = rules.filter(({ resources = [] }) => resources.length > 0);
  const ofPaths = rules.filter(({ nonResourceURLs = [] }) => nonResourceURLs.length > 0);
  return {
    resourceRules: ofResources.map(({ verbs, apiGroups, resources, resourceNames }) => ({
      verbs,
      apiGroups,
      resources,
      ...(resourceNames && { resourceNames }),
    })) as unknown as JsonObject[],
    nonResourceRules: ofPaths.map(({ verbs, nonResourceURLs }) => ({
      verbs,
      nonResourceURLs,
    })) as unknown as JsonObject[],
    incomplete: false,
    ...(errors.length > 0 && { evaluationError: joined(errors) }),
  };
}

function refuse({ kind: _kind }: Review, { definition }: ResourceRequest, errors: readonly FieldError[]): void {
  // Upstream quirk: the kind is missing from this answer.
  if (errors.length > 0) throw invalid({ group: definition.group, name: "" }, "", errors);
}

function targetErrors(
  { resourceAttributes, nonResourceAttributes }: Record<string, any>,
  { server }: ResourceRequest,
): FieldError[] {
  const isOld = isAhead("authorizers-by-name", server.kubernetes);
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined)
    return [
      {
        kind: "Invalid",
        field: isOld ? "spec.nonResourceAttributes" : "spec",
        value: goNames(nonResourceAttributes),
        detail: isOld ? "cannot be specified in combination with resourceAttributes" : ONE_TARGET,
      },
    ];
  if (resourceAttributes !== undefined || nonResourceAttributes !== undefined) return [];
  return [
    {
      kind: "Invalid",
      field: isOld ? "spec.resourceAttributes" : "spec",
      value: null,
      detail: ONE_TARGET,
    },
  ];
}

/** Upstream shows its internal type, whose members begin with capitals. */
function goNames({ path = "", verb = "" }: Record<string, any>): JsonObject {
  return { Path: path, Verb: verb };
}

function subjectErrors({ user = "", groups = [] }: Record<string, any>): FieldError[] {
  if (user !== "" || groups.length > 0) return [];
  return [
    { kind: "Invalid", field: "spec.user", value: "", detail: "at least one of user or group must be specified" },
  ];
}

function metadataErrors({ metadata }: Review, detail: string): FieldError[] {
  const { managedFields: _managedFields, ...rest } = metadata;
  return Object.keys(rest).length === 0
    ? []
    : [{ kind: "Invalid", field: "metadata", value: metadata as unknown as JsonObject, detail }];
}

function localErrors({ metadata, spec, ...review }: Review): FieldError[] {
  const { namespace, ...rest } = metadata;
  const errors = metadataErrors({ ...review, metadata: rest, spec } as Review, "must be empty except for namespace");
  const { resourceAttributes, nonResourceAttributes } = spec;
  if (resourceAttributes !== undefined && (resourceAttributes.namespace ?? "") !== (namespace ?? ""))
    errors.push({
      kind: "Invalid",
      field: "spec.resourceAttributes.namespace",
      value: resourceAttributes.namespace ?? "",
      detail: "must match metadata.namespace",
    });
  if (nonResourceAttributes !== undefined)
    errors.push({
      kind: "Invalid",
      field: "spec.nonResourceAttributes",
      value: goNames(nonResourceAttributes),
      detail: "disallowed on this kind of request",
    });
  return errors;
}
