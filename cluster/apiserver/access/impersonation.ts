/**
 * Impersonation: the headers `Impersonate-User`, `-Group`, `-Uid` and `-Extra-…`, as `kubectl --as` sends them. The
 * sender needs the verb `impersonate` for each of them; or, constrained to the request itself, `impersonate:MODE` for
 * each and `impersonate-on:MODE:VERB` for the request. Leaves out the mode for the node that a service account is on.
 */
import type { ServerContext, ServerRequest, User } from "../contract/context.ts";
import { quote } from "../../values/json.ts";
import { type ApiError, badRequest } from "../contract/status-errors.ts";
import { type Attributes, attributesOf, type ResourceAttributes } from "./attributes.ts";
import { type Authorizer, refusal } from "./authorizer.ts";
import { AUTHENTICATED, ANONYMOUS, serviceAccountGroups, UNAUTHENTICATED } from "./users.ts";

const EXTRA = "impersonate-extra-";
const GROUP = "authentication.k8s.io";
const SERVICE_ACCOUNT = /^system:serviceaccount:([a-z0-9]+(?:-+[a-z0-9]+)*):([-.a-z0-9]+)$/;
const NODE = "system:node:";

/**
 * Returns the user that the request acts as.
 * @param user the sender of the request
 * @throws ApiError 403 if the sender may not impersonate that user
 */
export function actingUser(request: ServerRequest, user: User, authorizer: Authorizer, server: ServerContext): User {
  const asked = askedUser(request.headers);
  if (asked === undefined) return user;
  let first: ApiError | undefined;
  const mayAll = (needed: readonly Attributes[]): boolean =>
    needed.every((attributes) => {
      const { isAllowed, reason } = authorizer.decide(attributes, server);
      if (!isAllowed) first ??= refusal(attributes, reason);
      return isAllowed;
    });
  const mode = modeOf(asked);
  const { verb, target } = attributesOf(request, user);
  const constrained =
    mode === undefined
      ? undefined
      : [
          { user, verb: `impersonate-on:${mode}:${verb}`, target },
          ...needed(asked, `impersonate:${mode}`, GROUP, user),
        ];
  if (constrained && mayAll(constrained)) return completed(asked, mode);
  if (mayAll(needed(asked, "impersonate", "", user))) return completed(asked, undefined);
  throw first!;
}

type Headers = ServerRequest["headers"];
type Asked = Required<User>;
type Mode = "serviceaccount" | "arbitrary-node" | "user-info";

function askedUser(headers: Headers): Asked | undefined {
  const name = headers["impersonate-user"] ?? "";
  const uid = headers["impersonate-uid"] ?? "";
  const groups = listOf(headers["impersonate-group"]);
  const extra = Object.fromEntries(
    Object.entries(headers)
      .filter(([header]) => header.startsWith(EXTRA))
      .map(([header, values]) => [unescaped(header.slice(EXTRA.length)), listOf(values)]),
  );
  const hasMore = uid !== "" || groups.length > 0 || Object.keys(extra).length > 0;
  if (name !== "") return { name, uid, groups, extra };
  if (!hasMore) return undefined;
  throw badRequest(`requested ${goText({ name, uid, groups, extra })} without impersonating a user name`);
}

/** The host joins the values of a header that comes several times. */
function listOf(value: string | undefined): string[] {
  return value === undefined ? [] : value.split(",").map((item) => item.trim());
}

function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** As Go shows its value. */
function goText({ name, uid, groups, extra }: Asked): string {
  const list = (values: readonly string[]): string => `[]string{${values.map(quote).join(", ")}}`;
  const keys = Object.keys(extra).toSorted();
  const members = keys.map((key) => `${quote(key)}:${list(extra[key]!)}`).join(", ");
  const map = `map[string][]string${keys.length === 0 ? "(nil)" : `{${members}}`}`;
  const shownGroups = groups.length === 0 ? "[]string(nil)" : list(groups);
  return `&user.DefaultInfo{Name:${quote(name)}, UID:${quote(uid)}, Groups:${shownGroups}, Extra:${map}}`;
}

/** The mode of constrained impersonation of this user; undefined: there is none. */
function modeOf({ name, uid, groups, extra }: Asked): Mode | undefined {
  const hasMore = uid !== "" || groups.length > 0 || Object.keys(extra).length > 0;
  if (SERVICE_ACCOUNT.test(name)) return hasMore ? undefined : "serviceaccount";
  if (name.startsWith(NODE)) return hasMore ? undefined : "arbitrary-node";
  return "user-info";
}

/** The permissions needed for each part of the impersonated user. @param group of users and groups */
function needed({ name, uid, groups, extra }: Asked, verb: string, group: string, user: User): Attributes[] {
  const at = (resource: string, itsName: string, rest: Partial<ResourceAttributes> = {}): Attributes => ({
    user,
    verb,
    target: { group, resource, subresource: "", namespace: "", name: itsName, ...rest },
  });
  const [, namespace, account] = SERVICE_ACCOUNT.exec(name) ?? [];
  const isNode = group === GROUP && name.startsWith(NODE);
  return [
    namespace !== undefined
      ? at("serviceaccounts", account!, { namespace })
      : isNode
        ? at("nodes", name.slice(NODE.length))
        : at("users", name),
    ...(uid === "" ? [] : [at("uids", uid, { group: GROUP })]),
    ...groups.map((one) => at("groups", one)),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value) => at("userextras", value, { group: GROUP, subresource: key })),
    ),
  ];
}

/** Adds the group of authenticated or unauthenticated users; for a service account those of its namespace. */
function completed(asked: Asked, mode: Mode | undefined): User {
  const [, namespace] = SERVICE_ACCOUNT.exec(asked.name) ?? [];
  const isBare = asked.groups.length === 0;
  const given =
    isBare && namespace !== undefined
      ? serviceAccountGroups(namespace)
      : mode === "arbitrary-node"
        ? ["system:nodes"]
        : asked.groups;
  const own = asked.name === ANONYMOUS.name ? UNAUTHENTICATED : AUTHENTICATED;
  const isComplete = given.includes(UNAUTHENTICATED) || given.includes(own);
  return { ...asked, groups: isComplete ? given : [...given, own] };
}
