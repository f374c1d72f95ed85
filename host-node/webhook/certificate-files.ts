/**
 * The certificate and private key of the server, as files that are replaced while it runs.
 *
 * Invariant: the current one is a pair that TLS accepts. If the files are half written, do not fit each other or have
 * expired, the old pair stays, and each problem is logged once (kept.ts).
 */
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import { readInput } from "../manifests/read-input.ts";
import type { Log } from "../log.ts";
import { UsageError } from "../usage-error.ts";
import { Kept } from "./kept.ts";

export interface CertificatePair {
  /** PEM: the server's certificate, and after it those up to its authority. */
  readonly certificate: string;
  /** PEM. */
  readonly privateKey: string;
  /** The end of the certificate's validity, in milliseconds since 1970. */
  readonly notAfterMs: number;
}

export interface CertificateFilesOptions {
  /** Paths. */
  readonly cert: string;
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly wallTime: () => number;
  readonly log: Log;
}

export class CertificateFiles extends Kept<CertificatePair> {
  /** @throws UsageError when the files cannot be used */
  constructor(options: CertificateFilesOptions) {
    const { cert, log } = options;
    const notAfter = ({ notAfterMs }: CertificatePair): string => new Date(notAfterMs).toISOString();
    super({
      read: () => readPair(options),
      isSame: (a, b) => a.certificate === b.certificate && a.privateKey === b.privateKey,
      onChanged: (pair) =>
        log.info({ cert, notAfter: notAfter(pair) }, "the certificate has changed: new connections get the new one"),
      onRefused: (problem, pair) =>
        log.warn(
          { problem, notAfter: notAfter(pair) },
          "the certificate files cannot be used: the old pair stays in use",
        ),
    });
  }
}

function readPair({ cert, key, wallTime }: CertificateFilesOptions): CertificatePair {
  const certificate = readInput(cert).text;
  const privateKey = readInput(key).text;
  const parsed = parseCertificate(cert, certificate);
  if (!parsed.checkPrivateKey(parseKey(key, privateKey)))
    throw new UsageError(
      `the private key in ${key} is not that of the first certificate in ${cert}; allowed is a pair`,
    );
  const notAfterMs = Date.parse(parsed.validTo);
  if (notAfterMs <= wallTime())
    throw new UsageError(
      `the certificate in ${cert} was valid until ${new Date(notAfterMs).toISOString()}; allowed is one that has not expired`,
    );
  try {
    createSecureContext({ cert: certificate, key: privateKey });
  } catch (error) {
    throw new UsageError(`the certificate in ${cert} cannot be used for TLS: ${(error as Error).message}`);
  }
  return { certificate, privateKey, notAfterMs };
}

function parseCertificate(path: string, text: string): X509Certificate {
  try {
    return new X509Certificate(text);
  } catch {
    throw new UsageError(
      `${path} has no certificate that can be read; allowed is PEM, from -----BEGIN CERTIFICATE----- on`,
    );
  }
}

function parseKey(path: string, text: string): KeyObject {
  try {
    return createPrivateKey(text);
  } catch {
    // The message of the library is left out, because it is about the content of the key.
    throw new UsageError(
      `${path} has no private key that can be read; allowed is PEM, from -----BEGIN PRIVATE KEY----- on, without a passphrase`,
    );
  }
}
