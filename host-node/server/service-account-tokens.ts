/**
 * Signs tokens of ServiceAccounts, and knows them again: JWTs with a key of the server (ES256). A server that keeps its
 * accounts keeps its key, too, so their tokens stay valid.
 */
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from "node:crypto";
import type { TokenSigner } from "../../cluster/apiserver/access/service-account-tokens.ts";
import type { JsonObject } from "../../cluster/values/types.ts";

/** The issuer that kubeadm sets. */
export const ISSUER = "https://kubernetes.default.svc.cluster.local";

export interface AccountTokens extends TokenSigner {
  /** The claims of a token that was signed here and is valid now, for any audience. */
  claimsOf(token: string, nowMs: number): JsonObject | undefined;
}

/** PEM. */
export function newAccountKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return String(privateKey.export({ type: "pkcs8", format: "pem" }));
}

/** Whether a text is a key as {@link newAccountKey} makes it. */
export function isAccountKey(text: string): boolean {
  try {
    return createPrivateKey(text).asymmetricKeyDetails?.namedCurve === "prime256v1";
  } catch {
    return false;
  }
}

/** @param key PEM */
export function createAccountTokens(key = newAccountKey()): AccountTokens {
  const privateKey = createPrivateKey(key);
  const publicKey = createPublicKey(privateKey);
  const kid = createHash("sha256")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest("base64url");
  const header = encoded({ alg: "ES256", kid });
  const [signing, verifying] = [privateKey, publicKey].map((key) => ({ key, dsaEncoding: "ieee-p1363" }) as const);
  return {
    issuer: ISSUER,
    sign(claims) {
      const signed = `${header}.${encoded(claims)}`;
      return `${signed}.${sign("sha256", Buffer.from(signed), signing!).toString("base64url")}`;
    },
    claimsOf(token, nowMs) {
      const [head, body = "", signature = "", ...more] = token.split(".");
      const signed = Buffer.from(`${header}.${body}`);
      if (
        head !== header ||
        more.length > 0 ||
        !verify("sha256", signed, verifying!, Buffer.from(signature, "base64url"))
      )
        return undefined;
      const claims = JSON.parse(Buffer.from(body, "base64url").toString()) as JsonObject;
      const holds = Number(claims["nbf"]) * 1000 <= nowMs && nowMs < Number(claims["exp"]) * 1000;
      return holds ? claims : undefined;
    },
  };
}

function encoded(part: JsonObject): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}
