/**
 * The user and the audiences of a token: tokens of ServiceAccounts name their audiences, and all others are for this
 * server. Source: apiserver, pkg/authentication/authenticator/audagnostic.go, and upstream's TokenReview.
 */
import type { TokenOwner } from "../../cluster/apiserver/access/reviews.ts";
import type { User } from "../../cluster/apiserver/contract/context.ts";
import type { JsonObject } from "../../cluster/values/types.ts";
import type { Authenticate } from "./guard.ts";

export interface TokenSources {
  /** The audience of this server. */
  readonly own: string;
  /** The claims of a ServiceAccount's token, for any audience; undefined: it is no such token. */
  claimsOf(token: string): JsonObject | undefined;
  /** The user of the claims; undefined: the ServiceAccount, or the object that the token is bound to, is gone. */
  userOf(claims: JsonObject): User | undefined;
  readonly others: Authenticate;
}

/** @param asked the token must be for one of these audiences; empty: this server */
export function ownerOf(token: string, asked: readonly string[], sources: TokenSources): TokenOwner {
  const wanted = asked.length === 0 ? [sources.own] : asked;
  const claims = sources.claimsOf(token);
  if (claims === undefined) {
    const user = wanted.includes(sources.own) ? sources.others(token) : undefined;
    return { user, audiences: [sources.own] };
  }
  const meant = claims["aud"] as readonly string[];
  const audiences = wanted.filter((audience) => meant.includes(audience));
  if (audiences.length > 0) return { user: sources.userOf(claims), audiences };
  const why = `token audiences ${inGo(meant)} is invalid for the target audiences ${inGo(wanted)}`;
  return { user: undefined, audiences, error: `[invalid bearer token, ${why}]` };
}

/** A list of texts as Go prints it. */
function inGo(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(" ")}]`;
}
