/**
 * The identity of a server, which clients recognize after a restart: its certificate, the administrator's token, the
 * key that signs the tokens of ServiceAccounts, and its port. So a kubeconfig and those tokens stay valid. All of it is
 * as secret as the data folder.
 */
import { randomBytes } from "node:crypto";
import { createServerCertificate } from "../server/certificates.ts";
import type { ServerCertificate } from "../server/server-certificate.ts";
import { newAccountKey } from "../server/service-account-tokens.ts";

const TOKEN_BYTES = 32;
/** A certificate that is about to expire is replaced. */
const MIN_VALIDITY_MS = 86_400_000;

export interface Identity {
  readonly token: string;
  /** PEM. */
  readonly accountKey: string;
  readonly certificate: ServerCertificate;
}

/** The store of properties. */
export interface Properties {
  property(name: string): string | undefined;
  setProperty(name: string, value: string): void;
}

/** For a server that keeps nothing. The tokens of its ServiceAccounts are signed with a separate key. */
export function newIdentity(nowMs: number): Omit<Identity, "accountKey"> {
  return { token: newToken(), certificate: createServerCertificate(nowMs) };
}

/** The stored identity, or a new one, which is then stored. */
export function keptIdentity(properties: Properties, nowMs: number): Identity {
  const kept = (name: string, make: () => string): string => {
    const known = properties.property(name);
    if (known !== undefined) return known;
    const made = make();
    properties.setProperty(name, made);
    return made;
  };
  return {
    token: kept("token", newToken),
    accountKey: kept("account-key", newAccountKey),
    certificate: keptCertificate(properties, nowMs),
  };
}

function keptCertificate(properties: Properties, nowMs: number): ServerCertificate {
  const known = properties.property("certificate");
  if (known !== undefined) {
    const certificate = JSON.parse(known) as ServerCertificate;
    if (nowMs + MIN_VALIDITY_MS < certificate.notAfterMs) return certificate;
  }
  const made = createServerCertificate(nowMs);
  properties.setProperty("certificate", JSON.stringify(made));
  return made;
}

/** Of the administrator. */
export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString("base64url");
}
