/** The certificate files: what is taken at the start and later, what is refused, and what is said of it. */
import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createLog, type Log } from "../../../host-node/log.ts";
import { createServerCertificate } from "../../../host-node/server/certificates.ts";
import type { ServerCertificate } from "../../../host-node/server/server-certificate.ts";
import { signedCertificate } from "../../../host-node/server/x509.ts";
import { CertificateFiles } from "../../../host-node/webhook/certificate-files.ts";

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2026, 10, 21);

let first: ServerCertificate;
let second: ServerCertificate;
let expired: ServerCertificate;
let weak: Pick<ServerCertificate, "certificate" | "privateKey">;
beforeAll(() => {
  first = createServerCertificate(NOW_MS);
  second = createServerCertificate(NOW_MS + DAY_MS);
  expired = createServerCertificate(NOW_MS - 366 * DAY_MS);
  weak = weakPair();
});

/** With a key of 192 bits, which TLS of today refuses. */
function weakPair(): typeof weak {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "prime192v1" });
  const [notBefore, notAfter] = [new Date(NOW_MS), new Date(NOW_MS + DAY_MS)];
  return {
    certificate: signedCertificate(
      { subject: "weak", issuer: "weak", publicKey, notBefore, notAfter, extensions: [] },
      privateKey,
    ),
    privateKey: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
  };
}

let directory: string;
let cert: string;
let key: string;
let lines: Record<string, unknown>[];
let log: Log;
let nowMs: number;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "stint-certificates-"));
  [cert, key] = [join(directory, "tls.crt"), join(directory, "tls.key")];
  lines = [];
  log = createLog("info", (line) => lines.push(JSON.parse(line) as Record<string, unknown>));
  nowMs = NOW_MS;
});
afterEach(() => rmSync(directory, { recursive: true }));

const write = ({ certificate, privateKey }: Pick<ServerCertificate, "certificate" | "privateKey">): void => {
  writeFileSync(cert, certificate);
  writeFileSync(key, privateKey);
};
const open = (): CertificateFiles => new CertificateFiles({ cert, key, wallTime: () => nowMs, log });

describe("at the start", () => {
  it("takes a pair, with more certificates behind the first one", () => {
    const certificate = `${first.certificate}\n${first.authority}\n`;
    write({ ...first, certificate });
    expect(open().current).toEqual({ certificate, privateKey: first.privateKey, notAfterMs: NOW_MS + 365 * DAY_MS });
  });

  it.each<[string, () => Partial<ServerCertificate>, () => string]>([
    [
      "no certificate",
      () => ({ certificate: "none" }),
      () => `${cert} has no certificate that can be read; allowed is PEM, from -----BEGIN CERTIFICATE----- on`,
    ],
    [
      "no key",
      () => ({ privateKey: "SECRET" }),
      () =>
        `${key} has no private key that can be read; allowed is PEM, from -----BEGIN PRIVATE KEY----- on, without a passphrase`,
    ],
    [
      "another's key",
      () => ({ privateKey: second.privateKey }),
      () => `the private key in ${key} is not that of the first certificate in ${cert}; allowed is a pair`,
    ],
    [
      "a certificate that has expired",
      () => expired,
      () => `the certificate in ${cert} was valid until 2026-11-20T00:00:00.000Z; allowed is one that has not expired`,
    ],
    ["a key that TLS finds too short", () => weak, () => `the certificate in ${cert} cannot be used for TLS: `],
  ])("refuses %s", (_, changes, sentence) => {
    write({ ...first, ...changes() });
    expect(open).toThrow(expect.objectContaining({ name: "UsageError", message: expect.stringContaining(sentence()) }));
  });

  it("refuses a file that is not there", () => {
    expect(open).toThrow(`cannot read ${cert}: there is no such file`);
  });
});

describe("later", () => {
  beforeEach(() => write(first));

  it("takes a new pair once", () => {
    const files = open();
    expect(files.reload()).toBe("same");
    write(second);
    expect([files.reload(), files.reload()]).toEqual(["changed", "same"]);
    expect(files.current.certificate).toBe(second.certificate);
    expect(lines).toEqual([
      expect.objectContaining({
        level: "info",
        cert,
        notAfter: "2027-11-22T00:00:00.000Z",
        msg: "the certificate has changed: new connections get the new one",
      }),
    ]);
  });

  it("keeps the pair from before while the files do not fit each other, says so once, and takes them when they do", () => {
    const files = open();
    writeFileSync(cert, second.certificate);
    expect([files.reload(), files.reload()]).toEqual(["refused", "refused"]);
    expect(files.current.certificate).toBe(first.certificate);
    expect(lines).toEqual([
      expect.objectContaining({
        level: "warn",
        problem: `the private key in ${key} is not that of the first certificate in ${cert}; allowed is a pair`,
        notAfter: "2027-11-21T00:00:00.000Z",
        msg: "the certificate files cannot be used: the old pair stays in use",
      }),
    ]);
    writeFileSync(key, second.privateKey);
    expect(files.reload()).toBe("changed");
    expect(files.current.privateKey).toBe(second.privateKey);
  });

  it("says each new problem, and an old one again after it was gone", () => {
    const files = open();
    const problems = [
      (): void => unlinkSync(key),
      (): void => writeFileSync(key, ""),
      (): void => write(first),
      (): void => writeFileSync(key, ""),
    ].flatMap((change) => {
      change();
      files.reload();
      return lines.splice(0).map(({ problem }) => problem);
    });
    expect(problems).toEqual([
      `cannot read ${key}: there is no such file`,
      expect.stringContaining("has no private key"),
      expect.stringContaining("has no private key"),
    ]);
    expect(files.current.certificate).toBe(first.certificate);
  });

  it("does not take a pair that has expired, not even its own", () => {
    const files = open();
    nowMs = NOW_MS + 400 * DAY_MS;
    expect(files.reload()).toBe("refused");
    expect(files.current.certificate).toBe(first.certificate);
  });

  it("follows the links that a Secret in a pod is made of", () => {
    const folder = (name: string, pair: ServerCertificate): void => {
      mkdirSync(join(directory, name));
      writeFileSync(join(directory, name, "tls.crt"), pair.certificate);
      writeFileSync(join(directory, name, "tls.key"), pair.privateKey);
    };
    [cert, key].forEach((file) => unlinkSync(file));
    folder("1", first);
    folder("2", second);
    symlinkSync("1", join(directory, "..data"));
    symlinkSync("..data/tls.crt", cert);
    symlinkSync("..data/tls.key", key);
    const files = open();
    unlinkSync(join(directory, "..data"));
    symlinkSync("2", join(directory, "..data"));
    expect(files.reload()).toBe("changed");
    expect(files.current.certificate).toBe(second.certificate);
  });

  it("logs nothing of a key", () => {
    const files = open();
    writeFileSync(key, first.privateKey.slice(0, 100));
    files.reload();
    expect(lines).toHaveLength(1);
    expect(JSON.stringify(lines)).not.toContain(first.privateKey.slice(40, 60));
  });
});
