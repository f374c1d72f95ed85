/** Decides whether a user may do something: the question, the answer, and the refusal in upstream's words. */
import type { ServerContext, User } from "../contract/context.ts";
import { quote } from "../../values/json.ts";
import { type ApiError, failure, forbidden } from "../contract/status-errors.ts";
import type { Attributes } from "./attributes.ts";

export interface Decision {
  readonly isAllowed: boolean;
  /** Which rule allows it, or why no rule could be read; mostly empty for a refusal. */
  readonly reason: string;
}

/** A rule of a Role, as its object has it. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

export interface Authorizer {
  decide(attributes: Attributes, server: ServerContext): Decision;
  /** All that a user may do in a namespace. `errors`: why there may be more. */
  rulesFor(
    user: User,
    namespace: string,
    server: ServerContext,
  ): { readonly rules: readonly PolicyRule[]; readonly errors: readonly string[] };
}

/** Allows every request. */
export const alwaysAllow: Authorizer = {
  decide: () => ({ isAllowed: true, reason: "" }),
  rulesFor: () => ({
    rules: [
      { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
      { verbs: ["*"], nonResourceURLs: ["*"] },
    ],
    errors: [],
  }),
};

/** The 403 for what a user may not do. */
export function refusal({ user, verb, target }: Attributes, reason: string): ApiError {
  const suffix = reason === "" ? "" : `: ${reason}`;
  if (typeof target === "string")
    return failure({
      code: 403,
      reason: "Forbidden",
      message: `forbidden: ${sanitized(`User ${quote(user.name)} cannot ${verb} path ${quote(target)}`)}${suffix}`,
      details: {},
    });
  const { group, resource, subresource, namespace, name } = target;
  const what = subresource === "" ? resource : `${resource}/${subresource}`;
  const where = namespace === "" ? "at the cluster scope" : `in the namespace ${quote(namespace)}`;
  const message = `User ${quote(user.name)} cannot ${verb} resource ${quote(what)} in API group ${quote(group)} ${where}`;
  return forbidden({ group, name: resource }, name, `${sanitized(message)}${suffix}`);
}

/** Upstream lets no text through that could be read as HTML. */
function sanitized(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** As upstream writes several errors. */
export function joined(errors: readonly string[]): string {
  const different = [...new Set(errors)];
  return different.length === 1 ? different[0]! : `[${different.join(", ")}]`;
}
