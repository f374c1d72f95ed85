/**
 * The certificate and private key of the server, as files that are replaced while it runs.
 *
 * Invariant: `current` is a pair that TLS accepts. If the files are half written, do not fit each other or have
 * expired, the pair stays, and the log says so once for each problem. The files are read again from time to time and
 * not watched: when a mounted Secret changes, a symbolic link two levels up changes, and a watch of the file does not
 * see that. Leaves out when to read them.
 */
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import { readInput } from "../cli/input/read-input.ts";
import type { Log } from "../log.ts";
import { UsageError } from "../usage-error.ts";

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

export class CertificateFiles {
  readonly #options: CertificateFilesOptions;
  #current: CertificatePair;
  /** The problem when the files were last read; undefined: there was none. */
  #problem: string | undefined;

  /** @throws UsageError when the files cannot be used */
  constructor(options: CertificateFilesOptions) {
    this.#options = options;
    this.#current = readPair(options);
  }

  get current(): CertificatePair {
    return this.#current;
  }

  /**
   * Reads the files again. `changed`: there is a new pair. `refused`: the files cannot be used now, and the old pair
   * stays. A new problem is logged.
   */
  reload(): "same" | "changed" | "refused" {
    const { log, cert } = this.#options;
    try {
      const pair = readPair(this.#options);
      this.#problem = undefined;
      if (pair.certificate === this.#current.certificate && pair.privateKey === this.#current.privateKey) return "same";
      this.#current = pair;
      log.info(
        { cert, notAfter: new Date(pair.notAfterMs).toISOString() },
        "the certificate has changed: new connections get the new one",
      );
      return "changed";
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      if (error.message !== this.#problem)
        log.warn(
          { problem: error.message, notAfter: new Date(this.#current.notAfterMs).toISOString() },
          "the certificate files cannot be used: the old pair stays in use",
        );
      this.#problem = error.message;
      return "refused";
    }
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
