/** Whose token it is, and for whom it is meant. The expected answers are those of a real API server. */
import { describe, expect, it } from "vitest";
import type { User } from "../../../cluster/apiserver/contract/context.ts";
import { ownerOf, type TokenSources } from "../../../host-node/server/token-review.ts";

const account: User = { name: "system:serviceaccount:default:sa", groups: [] };
const admin: User = { name: "admin", groups: [] };
const claims = new Map([
  ["own", { aud: ["here"] }],
  ["other", { aud: ["x", "y"] }],
  ["gone", { aud: ["here"], gone: true }],
]);
const sources: TokenSources = {
  own: "here",
  claimsOf: (token) => claims.get(token),
  userOf: (found) => (found["gone"] ? undefined : account),
  others: (token) => (token === "admin" ? admin : undefined),
};
const owner = (token: string, ...audiences: string[]) => ownerOf(token, audiences, sources);

describe("a token of a ServiceAccount", () => {
  it("is meant for this server unless it says otherwise", () => {
    expect(owner("own")).toEqual({ user: account, audiences: ["here"] });
  });

  it("is not authenticated for an audience that it is not meant for", () => {
    expect(owner("own", "x")).toEqual({
      user: undefined,
      audiences: [],
      error: '[invalid bearer token, token audiences ["here"] is invalid for the target audiences ["x"]]',
    });
    expect(owner("other").error).toBe(
      '[invalid bearer token, token audiences ["x" "y"] is invalid for the target audiences ["here"]]',
    );
  });

  it("is answered with those of the audiences that it is meant for, as they were asked for", () => {
    expect(owner("other", "z", "y", "x")).toEqual({ user: account, audiences: ["y", "x"] });
  });

  it("is not authenticated when its account is gone", () => {
    expect(owner("gone").user).toBeUndefined();
  });
});

describe("any other token", () => {
  it("is meant for this server", () => {
    expect(owner("admin")).toEqual({ user: admin, audiences: ["here"] });
    expect(owner("admin", "x", "here")).toEqual({ user: admin, audiences: ["here"] });
    expect(owner("admin", "x").user).toBeUndefined();
  });

  it("may be unknown", () => {
    expect(owner("bad")).toEqual({ user: undefined, audiences: ["here"] });
  });
});
