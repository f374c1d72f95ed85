/** A kubeconfig that is found is taken as `stint serve` writes it, and refused as soon as it differs in anything. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { parse, stringify } from "yaml";
import { createServerCertificate } from "../../../host-node/server/certificates.ts";
import { readFoundKubeconfig } from "../../../host-node/server/found-kubeconfig.ts";
import { MAX_KUBECONFIG_BYTES } from "../../../host-node/server/kubeconfig-form.ts";
import { kubeconfigText, writeKubeconfig } from "../../../host-node/server/kubeconfig.ts";
import { UsageError } from "../../../host-node/usage-error.ts";

const SHOWN = "./stint.kubeconfig";
const TOKEN = "secret-token";
const { authority } = createServerCertificate(Date.now());
const content = { server: "https://127.0.0.1:6443", authority, token: TOKEN };
let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "stint-test-"));
  path = join(directory, "stint.kubeconfig");
});
afterEach(() => rmSync(directory, { recursive: true }));

function write(text: string): void {
  writeFileSync(path, text, { mode: 0o600 });
}

/** The sentence that refuses the file. It quotes no secret, and says what to do. */
function refusal(user?: number): string {
  try {
    readFoundKubeconfig(path, SHOWN, user);
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    const { message } = error as UsageError;
    expect(message).not.toContain(TOKEN);
    expect(message).toContain(`If that file is meant, name it: --kubeconfig ${SHOWN}.`);
    const [, problem = ""] =
      /^\.\/stint\.kubeconfig is not taken: (.*?)\. A kubeconfig that is found /.exec(message) ?? [];
    return problem;
  }
  return "taken";
}

it("the search for a kubeconfig takes what stint serve writes", () => {
  writeKubeconfig(path, content);
  expect(readFoundKubeconfig(path, SHOWN)).toBe(readFileSync(path, "utf8"));
});

/** By the fields of the parsed file. */
type Change = (config: any) => void;
const user =
  (fields: object): Change =>
  (config) =>
    Object.assign(config.users[0].user, fields);
const cluster =
  (fields: object): Change =>
  (config) =>
    Object.assign(config.clusters[0].cluster, fields);

const NO_AUTHORITY = "its certificate authority is not one certificate";
const base64 = (text: string): string => Buffer.from(text).toString("base64");

it("the search for a kubeconfig takes the empty preferences that kubectl adds, and another namespace", () => {
  const config = parse(kubeconfigText(content));
  config.preferences = {};
  config.contexts[0].context.namespace = "team";
  write(stringify(config));
  expect(refusal()).toBe("taken");
});

it("the search for a kubeconfig says nothing of the file in warnings of the process", () => {
  const warn = vi.spyOn(process, "emitWarning").mockReturnValue();
  write(`${kubeconfigText(content)}? {token: ${TOKEN}}\n: 1\n`);
  expect(refusal()).toBe("it has a field that `stint serve` does not write");
  expect(warn).not.toHaveBeenCalled();
  warn.mockRestore();
});

it("the search for a kubeconfig finds a field that hides behind a prototype", () => {
  write(kubeconfigText(content).replace("token:", "__proto__: {exec: {command: sh}}\n      token:"));
  expect(refusal()).toBe("its user has a field that `stint serve` does not write");
});

describe("refuses", () => {
  it.each<[string, Change]>([
    ["its user has exec, which starts a program", user({ exec: { command: "sh", args: [] } })],
    ["its user has auth-provider, which may start a program", user({ "auth-provider": { name: "gcp" } })],
    ["its user has tokenFile, which names another file", user({ tokenFile: "/etc/passwd" })],
    ["its user has client-key, which names another file", user({ "client-key": "key.pem" })],
    ["its user has client-certificate, which names another file", user({ "client-certificate": "c.pem" })],
    ["its user has as, which acts as another user", user({ as: "admin" })],
    ["its user has a field that `stint serve` does not write", user({ "client-key-data": "AA==" })],
    ["its user has a field that `stint serve` does not write", user({ [TOKEN]: 1 })],
    ["its user has no token", (config) => delete config.users[0].user.token],
    ["its user has no token", user({ token: "" })],
    ["its user has no token", user({ token: 7 })],
    ["its cluster has certificate-authority, which names another file", cluster({ "certificate-authority": "ca.crt" })],
    ["its cluster has proxy-url, which sends requests elsewhere", cluster({ "proxy-url": "http://evil.example" })],
    [
      "its cluster has insecure-skip-tls-verify, which changes whom the server may be",
      cluster({ "insecure-skip-tls-verify": true }),
    ],
    ["its cluster has tls-server-name, which changes whom the server may be", cluster({ "tls-server-name": "a" })],
    ["it has 2 users; `stint serve` writes one", (config) => config.users.push({ name: "b", user: { token: "b" } })],
    ["its user has exec, which starts a program", (config) => config.users.push({ name: "b", user: { exec: {} } })],
    ["it has 0 clusters; `stint serve` writes one", (config) => (config.clusters = [])],
    ["it has 0 contexts; `stint serve` writes one", (config) => delete config.contexts],
    ["it has a field that `stint serve` does not write", (config) => (config.preferences = { colors: true })],
    [NO_AUTHORITY, (config) => delete config.clusters[0].cluster["certificate-authority-data"]],
    [NO_AUTHORITY, cluster({ "certificate-authority-data": "" })],
    [NO_AUTHORITY, cluster({ "certificate-authority-data": base64("-----BEGIN CERTIFICATE-----\n") })],
    [NO_AUTHORITY, cluster({ "certificate-authority-data": base64(authority + authority) })],
    [
      "its context has a field that `stint serve` does not write",
      (config) => (config.contexts[0].context.extensions = []),
    ],
    ["it has not the mark stint.dev/serve of a server", cluster({ extensions: [] })],
    ["it has not the mark stint.dev/serve of a server", (config) => delete config.clusters[0].cluster.extensions],
    [
      "it was written on another machine, or this one had another name",
      (config) => (config.clusters[0].cluster.extensions[0].extension.host = "elsewhere"),
    ],
  ])("%s", (sentence, change) => {
    const config = parse(kubeconfigText(content));
    change(config);
    write(stringify(config));
    expect(refusal()).toBe(sentence);
  });

  it.each([
    "https://10.0.0.1:6443",
    "https://cluster.example:443",
    "https://127.0.0.1.evil.example:443",
    "https://127.0.0.1:1@evil.example",
    "https://user@127.0.0.1:6443",
    "https://127.0.0.1:6443/elsewhere",
    "http://127.0.0.1:6443",
    "https://127.0.0.1:6443\n",
    "https://0.0.0.0:6443",
  ])("a server at %j", (server) => {
    write(kubeconfigText({ ...content, server }));
    expect(refusal()).toBe("its server is not https://127.0.0.1 with a port");
  });

  it.each([
    ["it is not one document of YAML", `users: [{ token: ${TOKEN} `],
    ["it is not one document of YAML", `${kubeconfigText(content)}---\n${kubeconfigText(content)}`],
    // The first of two equal keys could be checked, and the second one used.
    ["it is not one document of YAML", `${kubeconfigText(content)}users: []\n`],
    ["it has 0 clusters; `stint serve` writes one", TOKEN],
    ["it has 0 clusters; `stint serve` writes one", ""],
    ["it has too many aliases", `a: &a [1]\nb: &b [${"*a,".repeat(99)}]\nc: [${"*b,".repeat(99)}]\n`],
  ])("%s", (sentence, text) => {
    write(text);
    expect(refusal()).toBe(sentence);
  });

  it.each([0o644, 0o640, 0o660, 0o604, 0o700, 0o400, 0o4600])("mode %i", (mode) => {
    write(kubeconfigText(content));
    chmodSync(path, mode);
    expect(refusal()).toBe(`its mode is 0${mode.toString(8).padStart(3, "0")}; \`stint serve\` makes it 0600`);
  });

  it("what is no regular file of this user", async () => {
    const target = join(directory, "target");
    writeKubeconfig(target, content);
    symlinkSync(target, path);
    expect(refusal()).toBe("it is a symbolic link");
    rmSync(path);
    mkdirSync(path);
    expect(refusal()).toBe("it is not a regular file");
    rmSync(path, { recursive: true });
    execFileSync("mkfifo", ["-m", "600", path]);
    expect(refusal()).toBe("it is not a regular file");
    rmSync(path);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(path, resolve));
    expect(refusal()).not.toBe("taken");
    await new Promise((resolve) => server.close(resolve));
    writeKubeconfig(path, content);
    expect(refusal(process.getuid!() + 1)).toMatch(/^it belongs to another user \(\d+; this is \d+\)$/);
  });

  it("a file beyond the limit", () => {
    write(`${kubeconfigText(content)}#${"a".repeat(MAX_KUBECONFIG_BYTES)}`);
    expect(refusal()).toMatch(/^it has \d+ bytes; allowed are 65536$/);
  });
});
