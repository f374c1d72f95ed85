/**
 * Acting as somebody else: the headers `Impersonate-User`, `-Group`, `-Uid` and `-Extra-…`, as `kubectl --as` sends
 * them. The user of the request must have the verb `impersonate` for each of them.
 */
import type { ServerContext, ServerRequest, User } from "../context.ts";
import { badRequest } from "../status-errors.ts";
import type { ResourceAttributes } from "./attributes.ts";
import { type Authorizer, refusal } from "./authorizer.ts";
import { AUTHENTICATED, NOBODY, serviceAccountGroups, UNAUTHENTICATED } from "./users.ts";

const EXTRA = "impersonate-extra-";
const SERVICE_ACCOUNT = /^system:serviceaccount:([a-z0-9]+(?:-+[a-z0-9]+)*):([-.a-z0-9]+)$/;

/**
 * As whom a user acts.
 * @param user who sends the request
 * @throws ApiError 403 if the user may not act as that one
 */
export function actingUser(
  { headers }: Pick<ServerRequest, "headers">,
  user: User,
  authorizer: Authorizer,
  server: ServerContext,
): User {
  const asked = askedUser(headers);
  if (asked === undefined) return user;
  for (const target of whatItTakes(asked)) {
    const attributes = { user, verb: "impersonate", target };
    const { isAllowed, reason } = authorizer.decide(attributes, server);
    if (!isAllowed) throw refusal(attributes, reason);
  }
  return { ...asked, groups: completeGroups(asked) };
}

type Headers = ServerRequest["headers"];
type Asked = Required<User>;

function askedUser(headers: Headers): Asked | undefined {
  const name = headers["impersonate-user"] ?? "";
  const uid = headers["impersonate-uid"] ?? "";
  const groups = listOf(headers["impersonate-group"]);
  const extra = Object.fromEntries(
    Object.entries(headers)
      .filter(([header]) => header.startsWith(EXTRA))
      .map(([header, values]) => [decodeURIComponent(header.slice(EXTRA.length)), listOf(values)]),
  );
  const hasMore = uid !== "" || groups.length > 0 || Object.keys(extra).length > 0;
  if (name !== "") return { name, uid, groups, extra };
  if (!hasMore) return undefined;
  throw badRequest(`requested [${goReferences({ name, uid, groups, extra })}] without impersonating a user`);
}

/** As Go shows them: kind, namespace, name, uid, API version, resource version and path of a field. */
function goReferences({ groups, extra, uid }: Asked): string {
  const version = "authentication.k8s.io/v1";
  const references = [
    ...groups.map((name) => `{Group  ${name}    }`),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value) => `{UserExtra  ${value}  ${version}  ${key}}`),
    ),
    ...(uid === "" ? [] : [`{UID  ${uid}  ${version}  }`]),
  ];
  return references.join(" ");
}

/** The host joins the values of a header that comes several times. */
function listOf(value: string | undefined): string[] {
  return value === undefined ? [] : value.split(",").map((item) => item.trim());
}

function whatItTakes({ name, uid, groups, extra }: Asked): ResourceAttributes[] {
  const at = (resource: string, itsName: string, rest: Partial<ResourceAttributes> = {}): ResourceAttributes => ({
    ...{ group: "", resource, subresource: "", namespace: "", name: itsName },
    ...rest,
  });
  const group = "authentication.k8s.io";
  const [, namespace, account] = SERVICE_ACCOUNT.exec(name) ?? [];
  return [
    namespace === undefined ? at("users", name) : at("serviceaccounts", account!, { namespace }),
    ...groups.map((one) => at("groups", one)),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value) => at("userextras", value, { group, subresource: key })),
    ),
    ...(uid === "" ? [] : [at("uids", uid, { group })]),
  ];
}

/** Every user belongs to the authenticated ones or to the others; a service account to those of its namespace. */
function completeGroups({ name, groups }: Asked): string[] {
  const [, namespace] = SERVICE_ACCOUNT.exec(name) ?? [];
  const given = groups.length === 0 && namespace !== undefined ? serviceAccountGroups(namespace) : [...groups];
  if (given.includes(AUTHENTICATED) || given.includes(UNAUTHENTICATED)) return given;
  return [...given, name === NOBODY.name ? UNAUTHENTICATED : AUTHENTICATED];
}
