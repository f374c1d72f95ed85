/**
 * A certificate authority for one server on loopback, and the server's certificate.
 *
 * Invariant: the authority's private key signs exactly one certificate and is never kept, so trusting the authority is
 * trusting that one server. Leaves out client certificates: clients show a token.
 */
import { generateKeyPairSync } from "node:crypto";
import type { ServerCertificate } from "./server-certificate.ts";
import {
  authorityKeyIdentifier,
  basicConstraints,
  forServers,
  KEY_USAGE,
  keyUsage,
  signedCertificate,
  subjectAltNames,
  subjectKeyIdentifier,
} from "./x509.ts";

/** Fast to make, and every client knows it. */
const CURVE = { namedCurve: "P-256" } as const;
/** How long a server may run: as long as a certificate of a real cluster's server. */
const VALIDITY_MS = 365 * 86_400_000;
/** Client and server share the clock of this machine. This only allows for rounding to seconds. */
const BACKDATED_MS = 60_000;

/** Certificates for 127.0.0.1 and localhost, valid for a year from `nowMs` (milliseconds since 1970). */
export function createServerCertificate(nowMs: number): ServerCertificate {
  const authorityKeys = generateKeyPairSync("ec", CURVE);
  const serverKeys = generateKeyPairSync("ec", CURVE);
  const common = {
    issuer: "stint-ca",
    notBefore: new Date(nowMs - BACKDATED_MS),
    notAfter: new Date(nowMs + VALIDITY_MS),
  };
  const authority = signedCertificate(
    {
      ...common,
      subject: common.issuer,
      publicKey: authorityKeys.publicKey,
      extensions: [
        basicConstraints(true),
        keyUsage(KEY_USAGE.keyCertSign, KEY_USAGE.crlSign),
        subjectKeyIdentifier(authorityKeys.publicKey),
      ],
    },
    authorityKeys.privateKey,
  );
  const certificate = signedCertificate(
    {
      ...common,
      subject: "stint",
      publicKey: serverKeys.publicKey,
      extensions: [
        basicConstraints(false),
        keyUsage(KEY_USAGE.digitalSignature),
        forServers(),
        subjectAltNames("127.0.0.1", "localhost"),
        subjectKeyIdentifier(serverKeys.publicKey),
        authorityKeyIdentifier(authorityKeys.publicKey),
      ],
    },
    authorityKeys.privateKey,
  );
  return {
    authority,
    certificate,
    privateKey: serverKeys.privateKey.export({ type: "pkcs8", format: "pem" }) as string,
    notAfterMs: common.notAfter.getTime(),
  };
}
