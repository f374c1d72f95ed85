/** The certificate of a server: what strict clients check of it, by RFC 5280. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createServerCertificate } from "../../../host-node/server/certificates.ts";

const NOW_MS = Date.UTC(2026, 10, 21, 12);
const YEAR_MS = 365 * 86_400_000;
const SERVER_AUTHENTICATION = "1.3.6.1.5.5.7.3.1";

describe("createServerCertificate", () => {
  const made = createServerCertificate(NOW_MS);
  const authority = new X509Certificate(made.authority);
  const server = new X509Certificate(made.certificate);

  it("signs the server's certificate with an authority that signed itself", () => {
    expect(authority.verify(authority.publicKey)).toBe(true);
    expect(server.verify(authority.publicKey)).toBe(true);
    // This compares the names, the identifiers of the keys, and what the authority's key may be used for.
    expect(server.checkIssued(authority)).toBe(true);
    expect(authority.checkIssued(authority)).toBe(true);
    expect(authority.checkIssued(server)).toBe(false);
  });

  it("makes an authority, and a certificate that is none", () => {
    expect([authority.ca, server.ca]).toEqual([true, false]);
    expect([authority.subject, server.subject, server.issuer]).toEqual(["CN=stint-ca", "CN=stint", "CN=stint-ca"]);
  });

  it("names the addresses of loopback, and is for servers only", () => {
    expect(server.subjectAltName).toBe("IP Address:127.0.0.1, DNS:localhost");
    expect(server.keyUsage).toEqual([SERVER_AUTHENTICATION]);
    expect(server.checkHost("stint")).toBeUndefined();
  });

  it("is valid for a year, and a minute before", () => {
    expect(made.notAfterMs).toBe(NOW_MS + YEAR_MS);
    for (const { validFromDate, validToDate } of [authority, server]) {
      expect(validFromDate.getTime()).toBe(NOW_MS - 60_000);
      expect(validToDate.getTime()).toBe(made.notAfterMs);
    }
  });

  it("is valid beyond 2049, after which a year needs four digits", () => {
    const late = createServerCertificate(Date.UTC(2049, 6));
    expect(new X509Certificate(late.certificate).validToDate.getUTCFullYear()).toBe(2050);
    expect(new X509Certificate(late.certificate).validFromDate.getUTCFullYear()).toBe(2049);
  });

  it("has serial numbers that are positive and not guessable", () => {
    const serials = [authority, server, new X509Certificate(createServerCertificate(NOW_MS).certificate)].map(
      ({ serialNumber }) => serialNumber,
    );
    expect(new Set(serials).size).toBe(3);
    for (const serial of serials) expect(serial).toMatch(/^[4-7][0-9A-F]{31}$/);
  });

  it("has the key of the certificate, and no other", () => {
    const key = createPrivateKey(made.privateKey);
    expect(server.checkPrivateKey(key)).toBe(true);
    expect(authority.checkPrivateKey(key)).toBe(false);
    expect(key.asymmetricKeyDetails).toEqual({ namedCurve: "prime256v1" });
  });
});
