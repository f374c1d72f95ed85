/**
 * `POST serviceaccounts/NAME/token`: the server answers a TokenRequest with a token that it signs. The token may be
 * bound to a pod, a Secret or a node: it becomes invalid when that is gone. Also finds the user of a token. Leaves out
 * the signing, which is injected, because it needs a key. Source: pkg/registry/core/serviceaccount/storage/token.go,
 * pkg/serviceaccount/claims.go.
 */
import type { BoundObjectReference, Pod, ServiceAccount, TokenRequest } from "../../values/kinds.ts";
import type { JsonObject, TypedObject } from "../../values/types.ts";
import {
  keyOf,
  type Outcome,
  type ResourceDefinition,
  type ResourceRequest,
  type ServerContext,
  type Subresource,
  type User,
} from "../contract/context.ts";
import type { KindOf } from "../contract/store-of.ts";
import { readBody } from "../verbs/create.ts";
import { type BodyKind, normalize } from "../schema/decode.ts";
import { generateUid } from "../../values/names.ts";
import { structType } from "../schema/schema.ts";
import { badRequest, conflict, type FieldError, invalid, notFound } from "../contract/status-errors.ts";
import { formatTime } from "../../values/times.ts";
import { writeOptions } from "../verbs/write-options.ts";

const GROUP = "authentication.k8s.io";
const KIND = { group: GROUP, name: "TokenRequest" };
const DEFAULT_SECONDS = 3600;
const LEAST_SECONDS = 600;
const MOST_SECONDS = 2 ** 32;

export interface TokenSigner {
  /** The issuer of tokens, and their audience unless the request names another. */
  readonly issuer: string;
  /** A JWT with these claims. */
  sign(claims: JsonObject): string;
}

export interface Reference {
  readonly name: string;
  readonly uid?: string;
}

/** The claims that are Kubernetes' own, under `kubernetes.io`. */
interface OwnClaims {
  readonly namespace: string;
  readonly serviceaccount: Reference;
  readonly pod?: Reference;
  readonly secret?: Reference;
  readonly node?: Reference;
}

/**
 * Returns the user of a token. The account and the object that the token is bound to must still exist.
 * @param claims of a token whose signature and time hold
 * @param exists whether the API has an object with this uid; a node is in no namespace
 */
export function userOf(
  claims: JsonObject,
  exists: (resource: string, namespace: string, reference: Reference) => boolean,
): User | undefined {
  const { namespace, serviceaccount, pod, secret, node } = claims["kubernetes.io"] as unknown as OwnClaims;
  const isValid =
    exists("serviceaccounts", namespace, serviceaccount) &&
    (pod === undefined || exists("pods", namespace, pod)) &&
    (secret === undefined || exists("secrets", namespace, secret)) &&
    // A token bound to a pod only states its node, which need not exist any more.
    (node === undefined || pod !== undefined || exists("nodes", "", node));
  if (!isValid) return undefined;
  return {
    name: userName(namespace, serviceaccount.name),
    uid: serviceaccount.uid!,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
    extra: {
      "authentication.kubernetes.io/credential-id": [`JTI=${claims.jti as string}`],
      ...(node && named("node", node)),
      ...(pod && named("pod", pod)),
    },
  };
}

/** What the token is bound to. */
function named(kind: string, { name, uid }: Reference): Record<string, readonly string[]> {
  const prefix = `authentication.kubernetes.io/${kind}`;
  return { [`${prefix}-name`]: [name], ...(uid && { [`${prefix}-uid`]: [uid] }) };
}

/** The table of resources, with tokens for ServiceAccounts. */
export function withTokens(
  definitions: readonly ResourceDefinition[],
  signer: TokenSigner,
): readonly ResourceDefinition[] {
  const token: Subresource = {
    name: "token",
    kind: "TokenRequest",
    groupVersion: { group: GROUP, version: "v1" },
    verbs: ["create"],
    create: (request) => createToken(request, signer),
  };
  return definitions.map((definition) =>
    definition.group === "" && definition.resource === "serviceaccounts"
      ? { ...definition, subresources: [...definition.subresources, token] }
      : definition,
  );
}

function createToken(request: ResourceRequest, { issuer, sign }: TokenSigner): Outcome {
  const { server, namespace, name } = request;
  const { fieldValidation } = writeOptions(request.query, "CreateOptions");
  const given = readBody(request, body(), fieldValidation) as TokenRequest;
  checkNames(given, request);
  const account = find("serviceaccounts", namespace, name, server);
  const { uid } = given.metadata;
  if (uid && uid !== account.metadata.uid)
    throw conflict(
      KIND,
      name,
      `the UID in the token request (${uid}) does not match the UID of the service account (${account.metadata.uid})`,
    );
  const audiences = given.spec.audiences?.length ? given.spec.audiences : [issuer];
  const expirationSeconds = given.spec.expirationSeconds ?? DEFAULT_SECONDS;
  checkDuration(expirationSeconds);
  const bound = boundTo(given.spec.boundObjectRef, account, request);
  const nowMs = server.clock.now();
  const seconds = Math.floor(nowMs / 1000);
  const own: OwnClaims = { namespace, ...bound, serviceaccount: reference(account) };
  const token = sign({
    aud: audiences,
    exp: seconds + expirationSeconds,
    iat: seconds,
    iss: issuer,
    jti: generateUid(server.random),
    "kubernetes.io": own as unknown as JsonObject,
    nbf: seconds,
    sub: userName(namespace, name),
  });
  const answer = {
    kind: KIND.name,
    apiVersion: `${GROUP}/v1`,
    metadata: { name, namespace, uid: account.metadata.uid, creationTimestamp: formatTime(nowMs) },
    spec: { ...given.spec, audiences, expirationSeconds },
    status: { token, expirationTimestamp: formatTime(nowMs + expirationSeconds * 1000) },
  };
  return { code: 201, object: normalize(answer as unknown as TokenRequest, body().type) };
}

function body(): BodyKind {
  return {
    kind: KIND.name,
    apiVersion: `${GROUP}/v1`,
    version: "v1",
    goType: "authentication.TokenRequest",
    type: structType("TokenRequest"),
    isRegistered: () => false,
  };
}

/** The body may repeat the names of the path, and nothing else. */
function checkNames({ metadata }: TypedObject, { namespace, name }: ResourceRequest): void {
  const refuse = (field: string, value: string, detail: string): never => {
    throw invalid(KIND, name, [{ kind: "Invalid", field, value, detail }]);
  };
  if (metadata.name && metadata.name !== name)
    refuse("metadata.name", metadata.name, "must match the service account name if specified");
  if (metadata.namespace && metadata.namespace !== namespace)
    refuse("metadata.namespace", metadata.namespace, "must match the service account namespace if specified");
}

function checkDuration(seconds: number): void {
  const error = (detail: string): FieldError => ({
    kind: "Invalid",
    field: "spec.expirationSeconds",
    value: seconds,
    detail,
  });
  if (seconds < LEAST_SECONDS) throw invalid(KIND, "", [error("may not specify a duration less than 10 minutes")]);
  if (seconds > MOST_SECONDS) throw invalid(KIND, "", [error("may not specify a duration larger than 2^32 seconds")]);
}

/** What a token may be bound to. */
type Bindable = "nodes" | "pods" | "secrets";

function boundTo(
  bound: BoundObjectReference | undefined | null,
  account: ServiceAccount,
  { server, namespace }: ResourceRequest,
): Partial<OwnClaims> {
  if (!bound) return {};
  const { kind = "", apiVersion = "", name = "" } = bound;
  const found = <Resource extends Bindable>(resource: Resource, within: string): KindOf<"", Resource> => {
    const object = find(resource, within, name, server);
    if (bound.uid && bound.uid !== object.metadata.uid)
      throw conflict(
        { group: "", name: kind },
        name,
        `the UID in the bound object reference (${bound.uid}) does not match the UID in record. The object might have been deleted and then recreated`,
      );
    return object;
  };
  switch (`${apiVersion} ${kind}`) {
    case "v1 Pod":
      return ofPod(found("pods", namespace), account, server);
    case "v1 Secret":
      return { secret: reference(found("secrets", namespace)) };
    case "v1 Node":
      return { node: reference(found("nodes", "")) };
    default:
      throw badRequest(`cannot bind token to object of type ${typeText(apiVersion, kind)}`);
  }
}

/** A token that is bound to a pod also names its node. */
function ofPod(pod: Pod, { metadata: { name } }: ServiceAccount, server: ServerContext): Partial<OwnClaims> {
  const { nodeName, serviceAccountName } = pod.spec;
  if (serviceAccountName !== name)
    throw badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(name)} to pod running with different serviceaccount name.`,
    );
  const node = server.store(server.definition("", "nodes")).get(nodeName ?? "")?.object;
  return { pod: reference(pod), ...(nodeName && { node: node ? reference(node) : { name: nodeName } }) };
}

/** As Go writes a group, version and kind. */
function typeText(apiVersion: string, kind: string): string {
  const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
  return `${group}/${version}, Kind=${kind}`;
}

function find<Resource extends Bindable | "serviceaccounts">(
  resource: Resource,
  namespace: string,
  name: string,
  server: ServerContext,
): KindOf<"", Resource> {
  const stored = server.store(server.definition("", resource)).get(keyOf(namespace, name));
  if (!stored) throw notFound({ group: "", name: resource }, name);
  return stored.object as KindOf<"", Resource>;
}

const reference = ({ metadata: { name, uid } }: TypedObject): Reference => ({ name, uid });
const userName = (namespace: string, name: string): string => `system:serviceaccount:${namespace}:${name}`;
