/**
 * Whose token it is, and for whom it is meant: tokens of ServiceAccounts name their audiences, and all others are meant
 * for this server. Source: apiserver, pkg/authentication/authenticator/audagnostic.go, and upstream's TokenReview.
 */
import type { TokenOwner } from "../../cluster/apiserver/access/reviews.ts";
import type { User } from "../../cluster/apiserver/contract/context.ts";
import type { JsonObject } from "../../cluster/values/types.ts";
import type { Authenticate } from "./guard.ts";

export interface TokenSources {
  /** The audience that this server is. */
  readonly own: string;
  /** Of a token of a ServiceAccount, whoever it is meant for; undefined: it is none. */
  claimsOf(token: string): JsonObject | undefined;
  /** Whose claims they are; undefined: the account is gone, or what the token is bound to. */
  userOf(claims: JsonObject): User | undefined;
  readonly others: Authenticate;
}

/** @param asked the audiences of which the token has to be meant for one; empty: this server */
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

/** As Go writes a list of texts. */
function inGo(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(" ")}]`;
}
