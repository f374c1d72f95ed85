/**
 * The certificate of a server on loopback. It has its own file, because the package's types name it, and must not
 * import the X.509 library that makes it (certificates.ts).
 */
export interface ServerCertificate {
  /** PEM. The authority that clients trust. */
  readonly authority: string;
  /** PEM. */
  readonly certificate: string;
  /** PEM, PKCS #8. */
  readonly privateKey: string;
  /** The end of its validity, in milliseconds since 1970. */
  readonly notAfterMs: number;
}
