/**
 * A certificate authority for one server on loopback, and the server's certificate.
 *
 * Invariant: the authority's private key signs exactly one certificate and is never kept, so trusting the authority is
 * trusting that one server. Leaves out client certificates: clients show a token.
 */
// The X.509 library asks for this polyfill, before itself.
import "reflect-metadata";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";
import { randomBytes, webcrypto } from "node:crypto";
import type { ServerCertificate } from "./server-certificate.ts";

const SIGNATURE = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
/** How long a server may run: as long as a certificate of a real cluster's server. */
const VALIDITY_MS = 365 * 86_400_000;
/** Client and server share the clock of this machine. This only allows for rounding to seconds. */
const BACKDATED_MS = 60_000;

/** Certificates for 127.0.0.1 and localhost, valid for a year from `nowMs` (milliseconds since 1970). */
export async function createServerCertificate(nowMs: number): Promise<ServerCertificate> {
  const authorityKeys = await webcrypto.subtle.generateKey(SIGNATURE, false, ["sign", "verify"]);
  const serverKeys = await webcrypto.subtle.generateKey(SIGNATURE, true, ["sign", "verify"]);
  const validity = { notBefore: new Date(nowMs - BACKDATED_MS), notAfter: new Date(nowMs + VALIDITY_MS) };

  const authority = await X509CertificateGenerator.createSelfSigned({
    ...validity,
    serialNumber: serialNumber(),
    name: "CN=stint-ca",
    keys: authorityKeys,
    signingAlgorithm: SIGNATURE,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(authorityKeys.publicKey),
    ],
  });
  const certificate = await X509CertificateGenerator.create({
    ...validity,
    serialNumber: serialNumber(),
    subject: "CN=stint",
    issuer: authority.subject,
    publicKey: serverKeys.publicKey,
    signingKey: authorityKeys.privateKey,
    signingAlgorithm: SIGNATURE,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension([
        { type: "ip", value: "127.0.0.1" },
        { type: "dns", value: "localhost" },
      ]),
      await SubjectKeyIdentifierExtension.create(serverKeys.publicKey),
      await AuthorityKeyIdentifierExtension.create(authority),
    ],
  });
  return {
    authority: authority.toString("pem"),
    certificate: certificate.toString("pem"),
    privateKey: await pemOf(serverKeys.privateKey),
    notAfterMs: validity.notAfter.getTime(),
  };
}

/** 127 random bits as hex: positive, and not guessable. */
function serialNumber(): string {
  const bytes = randomBytes(16);
  bytes[0] = (bytes[0]! & 0x7f) | 0x40;
  return bytes.toString("hex");
}

async function pemOf(key: webcrypto.CryptoKey): Promise<string> {
  const base64 = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", key)).toString("base64");
  return `-----BEGIN PRIVATE KEY-----\n${base64.replace(/.{64}(?=.)/g, "$&\n")}\n-----END PRIVATE KEY-----\n`;
}
