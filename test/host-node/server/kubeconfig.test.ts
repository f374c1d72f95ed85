/** The kubeconfig file: readable by its user alone, never written over anything, and only the own one is removed. */
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { createServerCertificate } from "../../../host-node/server/certificates.ts";
import { writeKubeconfig } from "../../../host-node/server/kubeconfig.ts";
import { UsageError } from "../../../host-node/usage-error.ts";

const { authority } = createServerCertificate(Date.now());
const content = { server: "https://127.0.0.1:6443", authority, token: "secret" };
let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "stint-test-"));
  path = join(directory, "stint.kubeconfig");
});
afterEach(() => rmSync(directory, { recursive: true }));

describe("writeKubeconfig", () => {
  it("writes what kubectl needs, with mode 0600", () => {
    writeKubeconfig(path, content);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const config = parse(readFileSync(path, "utf8"));
    expect(config["current-context"]).toBe("stint");
    expect(config.users[0].user).toEqual({ token: "secret" });
    expect(config.clusters[0].cluster.server).toBe("https://127.0.0.1:6443");
    expect(Buffer.from(config.clusters[0].cluster["certificate-authority-data"], "base64").toString()).toBe(
      content.authority,
    );
  });

  it("never writes over a file, nor through a link", () => {
    writeFileSync(path, "mine");
    expect(() => writeKubeconfig(path, content)).toThrow(UsageError);
    expect(() => writeKubeconfig(path, content)).toThrow(
      `${path} exists already and is not overwritten; remove it, or name another file with --kubeconfig`,
    );
    expect(readFileSync(path, "utf8")).toBe("mine");
    const link = join(directory, "link");
    symlinkSync(join(directory, "target"), link);
    expect(() => writeKubeconfig(link, content)).toThrow(/exists already/);
    expect(existsSync(join(directory, "target"))).toBe(false);
  });

  it("says why it cannot write", () => {
    expect(() => writeKubeconfig(join(directory, "no", "such"), content)).toThrow(
      /^cannot write the kubeconfig .*: there is no such folder to write it to$/,
    );
  });

  it("removes its own file and no other one that has taken its place", () => {
    const remove = writeKubeconfig(path, content);
    remove();
    expect(existsSync(path)).toBe(false);
    remove();

    const removeSecond = writeKubeconfig(path, content);
    renameSync(path, join(directory, "kept"));
    writeFileSync(path, "another");
    removeSecond();
    expect(readFileSync(path, "utf8")).toBe("another");
  });

  it("keeps a file that it wrote and to which a cluster was added", () => {
    const remove = writeKubeconfig(path, content);
    const config = parse(readFileSync(path, "utf8"));
    config.clusters.push({ name: "prod", cluster: { server: "https://prod.example:6443" } });
    writeFileSync(path, stringify(config));
    expect(remove()).toBe(false);
    expect(parse(readFileSync(path, "utf8"))).toEqual(config);
  });
});
