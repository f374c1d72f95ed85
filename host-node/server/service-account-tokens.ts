/**
 * Signs tokens of ServiceAccounts: JWTs with a key of this process (ES256). A server that is started again has another
 * key, as it has none of the accounts of the one before.
 */
import { createHash, generateKeyPairSync, sign } from "node:crypto";
import type { TokenSigner } from "../../cluster/apiserver/service-account-tokens.ts";
import type { JsonObject } from "../../cluster/types.ts";

/** What kubeadm sets. */
const ISSUER = "https://kubernetes.default.svc.cluster.local";

export function createTokenSigner(): TokenSigner {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const kid = createHash("sha256")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest("base64url");
  const header = encoded({ alg: "ES256", kid });
  return {
    issuer: ISSUER,
    sign(claims) {
      const signed = `${header}.${encoded(claims)}`;
      const signature = sign("sha256", Buffer.from(signed), { key: privateKey, dsaEncoding: "ieee-p1363" });
      return `${signed}.${signature.toString("base64url")}`;
    },
  };
}

function encoded(part: JsonObject): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}
