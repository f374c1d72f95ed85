/**
 * X.509 certificates as RFC 5280 has them, signed with ECDSA and SHA-256: the fields, and the extensions that a server
 * and its authority need. How ASN.1 becomes bytes is the library's. Leaves out reading certificates: Node does that.
 */
import {
  type AsnType,
  BitString,
  Boolean as Truth,
  Constructed,
  fromBER,
  GeneralizedTime,
  Integer,
  ObjectIdentifier,
  OctetString,
  Primitive,
  Sequence,
  Set as SetOf,
  UTCTime,
  Utf8String,
} from "asn1js";
import { createHash, type KeyObject, randomBytes, sign } from "node:crypto";

const VERSION_3 = 2;
const COMMON_NAME = "2.5.4.3";
const ECDSA_WITH_SHA256 = "1.2.840.10045.4.3.2";
const SERVER_AUTHENTICATION = "1.3.6.1.5.5.7.3.1";
/** From this year on, a date has a year of four digits. */
const FOUR_DIGITS_FROM_YEAR = 2050;
const PEM_LINE = /.{64}(?=.)/g;

/** The bits of a key usage, from the most significant one. */
export const KEY_USAGE = { digitalSignature: 0, keyCertSign: 5, crlSign: 6 } as const;

export interface CertificateFields {
  /** A common name. */
  readonly subject: string;
  /** A common name. */
  readonly issuer: string;
  readonly publicKey: KeyObject;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly extensions: readonly Sequence[];
}

/** A certificate as PEM, with a serial number that cannot be guessed. @param signingKey the issuer's, of a curve */
export function signedCertificate(fields: CertificateFields, signingKey: KeyObject): string {
  const signatureAlgorithm = sequence(oid(ECDSA_WITH_SHA256));
  const toBeSigned = sequence(
    tagged(0, new Integer({ value: VERSION_3 })),
    serialNumber(),
    signatureAlgorithm,
    nameOf(fields.issuer),
    sequence(timeOf(fields.notBefore), timeOf(fields.notAfter)),
    nameOf(fields.subject),
    fromBER(publicKeyInfo(fields.publicKey)).result,
    tagged(3, sequence(...fields.extensions)),
  );
  const signature = sign("sha256", bytesOf(toBeSigned), signingKey);
  return pem(bytesOf(sequence(toBeSigned, signatureAlgorithm, bits(signature))));
}

/** @param isAuthority may sign certificates of servers, but of no further authority */
export function basicConstraints(isAuthority: boolean): Sequence {
  const ofAuthority = [new Truth({ value: true }), new Integer({ value: 0 })];
  return critical("2.5.29.19", sequence(...(isAuthority ? ofAuthority : [])));
}

export function keyUsage(...uses: readonly number[]): Sequence {
  const last = Math.max(...uses);
  const byte = uses.reduce((sum, use) => sum | (0x80 >> use), 0);
  return critical("2.5.29.15", bits(Uint8Array.of(byte), 7 - last));
}

/** It is for servers, and not for clients. */
export function forServers(): Sequence {
  return extension("2.5.29.37", sequence(oid(SERVER_AUTHENTICATION)));
}

/** The subjects of the certificate: an IPv4 address and the name of a host. */
export function subjectAltNames(address: string, host: string): Sequence {
  const addressBytes = Uint8Array.from(address.split("."), Number);
  return extension("2.5.29.17", sequence(implicit(7, addressBytes), implicit(2, Buffer.from(host))));
}

export function subjectKeyIdentifier(key: KeyObject): Sequence {
  return extension("2.5.29.14", new OctetString({ valueHex: identifierOf(key) }));
}

/** @param key the issuer's */
export function authorityKeyIdentifier(key: KeyObject): Sequence {
  return extension("2.5.29.35", sequence(implicit(0, identifierOf(key))));
}

/** The hash of the key: method 4 of RFC 7093. */
function identifierOf(key: KeyObject): Uint8Array {
  return createHash("sha256").update(publicKeyInfo(key)).digest();
}

function publicKeyInfo(key: KeyObject): Buffer {
  return key.export({ type: "spki", format: "der" });
}

/** 126 random bits: positive, and not guessable. */
function serialNumber(): Integer {
  const bytes = randomBytes(16);
  bytes[0] = (bytes[0]! & 0x7f) | 0x40;
  return new Integer({ valueHex: bytes });
}

function nameOf(commonName: string): Sequence {
  return sequence(new SetOf({ value: [sequence(oid(COMMON_NAME), new Utf8String({ value: commonName }))] }));
}

function timeOf(date: Date): AsnType {
  return date.getUTCFullYear() < FOUR_DIGITS_FROM_YEAR
    ? new UTCTime({ valueDate: date })
    : new GeneralizedTime({ valueDate: new Date(Math.floor(date.getTime() / 1000) * 1000) });
}

function extension(id: string, value: AsnType): Sequence {
  return sequence(oid(id), new OctetString({ valueHex: bytesOf(value) }));
}

/** An extension that a client must understand, or refuse the certificate. */
function critical(id: string, value: AsnType): Sequence {
  return sequence(oid(id), new Truth({ value: true }), new OctetString({ valueHex: bytesOf(value) }));
}

function sequence(...value: readonly AsnType[]): Sequence {
  return new Sequence({ value: [...value] });
}

function oid(value: string): ObjectIdentifier {
  return new ObjectIdentifier({ value });
}

function bits(valueHex: Uint8Array, unusedBits = 0): BitString {
  return new BitString({ valueHex, unusedBits });
}

const CONTEXT_SPECIFIC = 3;

function tagged(tagNumber: number, value: AsnType): Constructed {
  return new Constructed({ idBlock: { tagClass: CONTEXT_SPECIFIC, tagNumber }, value: [value] });
}

function implicit(tagNumber: number, valueHex: Uint8Array): Primitive {
  return new Primitive({ idBlock: { tagClass: CONTEXT_SPECIFIC, tagNumber }, valueHex });
}

function bytesOf(value: AsnType): Buffer {
  return Buffer.from(value.toBER());
}

function pem(der: Buffer): string {
  return `-----BEGIN CERTIFICATE-----\n${der.toString("base64").replace(PEM_LINE, "$&\n")}\n-----END CERTIFICATE-----\n`;
}
