/**
 * Kubeconfigs in every form: what a request gets of them, what is refused, what rotates, and that no error tells a
 * secret.
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { Credentials, type CredentialsSource } from "../../../host-node/transport/credentials.ts";
import { UsageError } from "../../../host-node/usage-error.ts";

const SERVER = "https://10.0.0.1:6443";
const SECRET = "hunter2-secret";
/** Longer than credentials are used without looking again. */
const LATER_MS = 60_000;

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "stint-credentials-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

function write(name: string, content: string): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

interface Parts {
  readonly user?: object;
  readonly cluster?: object;
  readonly context?: object;
}

function kubeconfig({ user = {}, cluster = {}, context = {} }: Parts = {}, name = "kubeconfig"): string {
  const content = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "prod",
    clusters: [{ name: "prod", cluster: { server: SERVER, ...cluster } }],
    users: [{ name: "admin", user }],
    contexts: [{ name: "prod", context: { cluster: "prod", user: "admin", namespace: "team", ...context } }],
  };
  return write(name, stringify(content));
}

/** A command beside the kubeconfig. */
function command(script: string, name = "make-token"): string {
  const path = write(name, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return `./${name}`;
}

const credential = (status: object): string =>
  JSON.stringify({ apiVersion: "client.authentication.k8s.io/v1", kind: "ExecCredential", status });
const load = (path: string | undefined, source: Partial<CredentialsSource> = {}): Credentials =>
  Credentials.load({ kubeconfig: path, context: undefined, environment: { PATH: process.env["PATH"] }, ...source });
const loaded = (parts: Parts): Credentials => load(kubeconfig(parts));
const tls = async (credentials: Credentials): Promise<object> => (await credentials.renew(0)).tls;
const authorization = async (credentials: Credentials, nowMs = 0): Promise<string | undefined> =>
  (await credentials.renew(nowMs)).headers["authorization"];

describe("where the API server is", () => {
  it("is what the current context says, with a path in front of all others and the namespace", () => {
    const credentials = loaded({ cluster: { server: `${SERVER}/k8s/clusters/c-1/` } });
    expect(credentials).toMatchObject({
      origin: SERVER,
      basePath: "/k8s/clusters/c-1",
      namespace: "team",
      description: `context prod of ${join(directory, "kubeconfig")}`,
    });
  });

  it("is what another context says, when that is asked for", () => {
    const path = write(
      "two",
      stringify({
        clusters: [
          { name: "a", cluster: { server: SERVER } },
          { name: "b", cluster: { server: "https://b:1" } },
        ],
        contexts: [
          { name: "a", context: { cluster: "a" } },
          { name: "b", context: { cluster: "b" } },
        ],
        "current-context": "a",
      }),
    );
    expect(load(path).origin).toBe(SERVER);
    expect(load(path, { context: "b" })).toMatchObject({ origin: "https://b:1", basePath: "", namespace: undefined });
    expect(() => load(path, { context: "c" })).toThrow(new UsageError(`the context is "c"; ${path} has a, b`));
  });

  it.each<readonly [string, Parts, string]>([
    [
      "no TLS",
      { cluster: { server: "http://10.0.0.1:8080" } },
      'the server of context "prod" is http://10.0.0.1:8080, where everybody in between can read the credentials; allowed is https://, or http:// and insecure-skip-tls-verify: true',
    ],
    [
      "another protocol",
      { cluster: { server: `ftp://me:${SECRET}@b` } },
      'the server of context "prod" is "ftp://…@b"; allowed is a URL that begins with https://',
    ],
    [
      "a proxy of another kind",
      { cluster: { "proxy-url": `socks4://me:${SECRET}@b` } },
      'the proxy-url of context "prod" begins with "socks4"; allowed are http, https and socks5',
    ],
    [
      "no server",
      { cluster: { server: "" } },
      'the context "prod" of the kubeconfig names no cluster; allowed is one with a cluster that has a server. Name another with --context',
    ],
    [
      "another cluster",
      { context: { cluster: "test" } },
      'the context "prod" of the kubeconfig names no cluster; allowed is one with a cluster that has a server. Name another with --context',
    ],
  ])("is refused with %s", (_what, parts, message) => {
    expect(() => loaded(parts)).toThrow(new UsageError(message));
  });

  it("may be without TLS, where that is said", async () => {
    const credentials = loaded({ cluster: { server: "http://10.0.0.1:8080", "insecure-skip-tls-verify": true } });
    expect(credentials.origin).toBe("http://10.0.0.1:8080");
    expect((await credentials.renew(0)).headers).toEqual({});
  });

  it("may be behind a proxy", async () => {
    for (const proxy of ["http://proxy:3128", "socks5h://proxy:1080"])
      expect((await loaded({ cluster: { "proxy-url": proxy } }).renew(0)).proxy).toBe(proxy);
  });
});

describe("which kubeconfig", () => {
  it("is one that is named, else those of $KUBECONFIG, else that of the home, else there is none", () => {
    mkdirSync(join(directory, ".kube"));
    kubeconfig({ cluster: { server: "https://home:1" } }, ".kube/config");
    const listed = kubeconfig({ cluster: { server: "https://listed:1" } }, "listed");
    const named = kubeconfig({ cluster: { server: "https://named:1" } }, "named");
    const environment = { KUBECONFIG: listed, HOME: directory };
    expect(load(named, { environment }).origin).toBe("https://named:1");
    expect(load(undefined, { environment }).origin).toBe("https://listed:1");
    expect(load(undefined, { environment: { ...environment, KUBECONFIG: "" } }).origin).toBe("https://home:1");
    expect(() => load(undefined, { environment: { HOME: join(directory, "elsewhere") } })).toThrow(
      /^there is no kubeconfig and no service account of a pod: nothing says where the API server is\.\nName one with --kubeconfig FILE or in \$KUBECONFIG; /,
    );
  });

  it("is merged of several: the first that has a name wins, and one that is missing is passed over", async () => {
    const first = write("first", stringify({ users: [{ name: "admin", user: { token: "first" } }] }));
    const second = kubeconfig({ user: { token: "second" } });
    const credentials = load(undefined, {
      environment: { KUBECONFIG: `${first}:${join(directory, "missing")}:${second}` },
    });
    expect(credentials.origin).toBe(SERVER);
    expect(await authorization(credentials)).toBe("Bearer first");
    expect(() => load(undefined, { environment: { KUBECONFIG: join(directory, "missing") } })).toThrow(
      `the kubeconfig ${join(directory, "missing")} cannot be used: there is no such file.`,
    );
  });

  it.each([
    ["is not there", "missing", "there is no such file"],
    ["is a directory", ".", "it is a directory; name the files"],
  ])("that %s is refused", (_what, name, problem) => {
    expect(() => load(join(directory, name))).toThrow(
      new UsageError(
        `the kubeconfig ${join(directory, name)} cannot be used: ${problem}.\nName one with --kubeconfig FILE or in $KUBECONFIG; inside a pod its service account is used.`,
      ),
    );
  });

  it.each([
    ["is not YAML", `users:\n- name: admin\n  user: {token: ${SECRET}\n`, /line \d+ is not YAML\./],
    ["is not YAML in another way", `token: "${SECRET}\n`, /line \d+ is not YAML\./],
    ["is text", SECRET, /it is not a kubeconfig; allowed is YAML with clusters, users and contexts\./],
    ["is empty", "", /it is not a kubeconfig; /],
    ["has no list of users", `users: ${SECRET}\n`, /users is not a list\./],
    ["has a user without a name", `users:\n- user: {token: ${SECRET}}\n`, /users\[0\] has no name\./],
    [
      "has a token that YAML takes for a number",
      "users:\n- name: admin\n  user: {token: 1234}\n",
      /users\[0\]\.user\.token is no text; put it in quotes\./,
    ],
    [
      "has a user that is text",
      `users:\n- {name: admin, user: ${SECRET}}\n`,
      /users\[0\]\.user is not a list of fields\./,
    ],
    ["says nothing", "{}\n", /the context "" of the kubeconfig names no cluster; /],
  ])("that %s is refused without telling what is in it", (_what, text, problem) => {
    const path = write("bad", text);
    let message = "";
    try {
      load(path);
    } catch (error) {
      expect(error).toBeInstanceOf(UsageError);
      ({ message } = error as Error);
    }
    expect(message).toMatch(problem);
    expect(message).not.toContain(SECRET);
  });
});

describe("who asks", () => {
  it("is anonymous where the context names no user; the server is trusted as the cluster says all the same", async () => {
    const access = loaded({
      context: { user: undefined },
      cluster: { "certificate-authority-data": Buffer.from("the CA").toString("base64") },
    });
    expect((await access.renew(0)).headers).toEqual({});
    expect(await tls(access)).toEqual({ ca: Buffer.from("the CA") });
  });

  it("is refused where the user is not in the file or impersonates groups", () => {
    expect(() => loaded({ context: { user: "root" } })).toThrow(
      new UsageError(`the user of context "prod" is "root", which ${join(directory, "kubeconfig")} has not`),
    );
    expect(() => loaded({ user: { as: "bot", "as-groups": ["a"] } })).toThrow(
      new UsageError(
        `the user "admin" of ${join(directory, "kubeconfig")} has as-groups, which is not supported; allowed is as, to act as one user`,
      ),
    );
  });

  it("has a token, a password, or another's name", async () => {
    expect(await authorization(loaded({ user: { token: "t0" } }))).toBe("Bearer t0");
    expect(await authorization(loaded({ user: { username: "me", password: "p:w" } }))).toBe(
      `Basic ${Buffer.from("me:p:w").toString("base64")}`,
    );
    expect((await loaded({ user: { token: "t0", as: "bot" } }).renew(0)).headers).toEqual({
      authorization: "Bearer t0",
      "impersonate-user": "bot",
    });
  });

  it("has the token of an OIDC provider", async () => {
    const part = (content: object): string => Buffer.from(JSON.stringify(content)).toString("base64url");
    const idToken = `${part({ alg: "none" })}.${part({ exp: 32_503_680_000 })}.signature`;
    const provider = { name: "oidc", config: { "client-id": "stint", "id-token": idToken } };
    expect(await authorization(loaded({ user: { "auth-provider": provider } }))).toBe(`Bearer ${idToken}`);
  });

  it("has a client certificate, in the file or beside it", async () => {
    const base64 = (text: string): string => Buffer.from(text).toString("base64");
    expect(
      await tls(loaded({ user: { "client-certificate-data": base64("cert"), "client-key-data": base64("key") } })),
    ).toMatchObject({ cert: Buffer.from("cert"), key: Buffer.from("key") });
    write("tls.crt", "cert");
    write("tls.key", "key");
    write("ca.crt", "ca");
    const beside = loaded({
      user: { "client-certificate": "tls.crt", "client-key": "tls.key" },
      cluster: { "certificate-authority": "ca.crt", "tls-server-name": "api.example.com" },
    });
    expect(await tls(beside)).toMatchObject({
      cert: Buffer.from("cert"),
      key: Buffer.from("key"),
      ca: Buffer.from("ca"),
      servername: "api.example.com",
    });
  });

  it("has a token file beside the kubeconfig, with or without a newline at its end, before a token", async () => {
    write("token", "from-file\n");
    expect(await authorization(loaded({ user: { tokenFile: "token", token: "other" } }))).toBe("Bearer from-file");
  });

  it("is the service account of a pod", async () => {
    for (const [name, text] of [
      ["token", "t1"],
      ["ca.crt", "ca"],
      ["namespace", "stint-system\n"],
    ] as const)
      write(name, text);
    const environment = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "6443" };
    const credentials = load(undefined, { environment, serviceAccount: directory });
    expect(credentials).toMatchObject({
      origin: "https://[fd00::1]:6443",
      namespace: "stint-system",
      description: "the service account of this pod",
    });
    expect(await authorization(credentials)).toBe("Bearer t1");
    expect(await tls(credentials)).toEqual({ ca: Buffer.from("ca") });
  });
});

describe("a command that makes tokens", () => {
  const exec = (script: string, more: object = {}): Credentials =>
    loaded({ user: { exec: { apiVersion: "client.authentication.k8s.io/v1", command: command(script), ...more } } });

  it("gets its arguments, its environment and what kubectl tells it, and nothing on standard input", async () => {
    const script = `cat >&2; printf '{"status":{"token":"%s %s %s"}}' "$1" "$WHO" "$(printf %s "$KUBERNETES_EXEC_INFO" | tr -d '"')"`;
    expect(await authorization(exec(script, { args: ["get"], env: [{ name: "WHO", value: "me" }] }))).toBe(
      "Bearer get me {apiVersion:client.authentication.k8s.io/v1,kind:ExecCredential,spec:{interactive:false}}",
    );
  });

  it("may answer with a client certificate", async () => {
    expect(
      await tls(exec(`echo '${credential({ clientCertificateData: "cert", clientKeyData: "key" })}'`)),
    ).toMatchObject({ cert: "cert", key: "key" });
  });

  it("is asked again when its answer expires, and when the server has refused it", async () => {
    const script = (expires: string): string =>
      `echo x >> ${join(directory, "calls")}; printf '{"status":{"token":"t%s"${expires}}}' "$(wc -l < ${join(directory, "calls")} | tr -d ' ')"`;
    const lasting = exec(script(""));
    expect([await authorization(lasting), await authorization(lasting, LATER_MS)]).toEqual(["Bearer t1", "Bearer t1"]);
    lasting.refused(2 * LATER_MS);
    expect(await authorization(lasting, 2 * LATER_MS)).toBe("Bearer t2");
    const expired = exec(script(`,"expirationTimestamp":"2020-01-01T00:00:00Z"`));
    expect([await authorization(expired), await authorization(expired, LATER_MS)]).toEqual(["Bearer t3", "Bearer t4"]);
  });

  it.each([
    [
      "fails",
      `echo ${SECRET}; echo 'no session: log in' >&2; echo more >&2; exit 3`,
      "make-token ended with 3: no session: log in",
    ],
    [
      "answers something else than JSON",
      `echo ${SECRET}`,
      "the command answered something that is not JSON; allowed is an ExecCredential",
    ],
    [
      "answers other JSON",
      `echo '{"token":"${SECRET}"}'`,
      "the command answered JSON without status.token and without status.clientCertificateData and clientKeyData; allowed is an ExecCredential with one of them",
    ],
    ["answers null", "echo null", "the command answered JSON without status.token"],
    ["answers too much", "yes | head -c 2000000", "make-token wrote more than 1048576 bytes"],
  ])("that %s is reported, without its output", async (_what, script, problem) => {
    const error = await exec(script)
      .renew(0)
      .then(
        () => undefined,
        (failure: Error) => failure,
      );
    expect(error?.message).toContain(problem);
    expect(error?.message).not.toContain(SECRET);
    expect(error?.message).not.toContain("\n");
  });

  it("that does not exist is reported, with the kubeconfig's install hint", async () => {
    await expect(
      loaded({
        user: { exec: { command: "stint-no-such-command", installHint: "get it from your platform team\nor not" } },
      }).renew(0),
    ).rejects.toThrow(/^there is no command stint-no-such-command; get it from your platform team$/);
  });

  it("that hangs is killed", async () => {
    const credentials = load(kubeconfig({ user: { exec: { command: command("exec sleep 1000") } } }), {
      commandTimeoutMs: 200,
    });
    await expect(credentials.renew(0)).rejects.toThrow(/make-token did not end within 0\.2 s, and was killed$/);
  });
});

describe("what rotates", () => {
  it("holds for a while without asking, and is then read again", async () => {
    write("tls.crt", "cert 1");
    write("tls.key", "key 1");
    const credentials = loaded({ user: { "client-certificate": "tls.crt", "client-key": "tls.key" } });
    expect(credentials.fresh(0)).toBeUndefined();
    const first = await credentials.renew(0);
    expect(credentials.fresh(1)).toBe(first);
    expect(credentials.fresh(LATER_MS)).toBeUndefined();
    expect((await credentials.renew(LATER_MS)).connectionKey).toBe(first.connectionKey);

    write("tls.crt", "cert 2");
    const second = await credentials.renew(2 * LATER_MS);
    expect(second.connectionKey).not.toBe(first.connectionKey);
    expect(first.connectionKey).not.toContain("key 1");
  });

  it("is read at once after a refusal, but not again and again", async () => {
    write("token", "t1");
    const credentials = loaded({ user: { tokenFile: "token" } });
    expect(await authorization(credentials)).toBe("Bearer t1");
    write("token", "t2");
    credentials.refused(1_000);
    expect(credentials.fresh(1_000)).toBeUndefined();
    expect(await authorization(credentials, 1_000)).toBe("Bearer t2");
    credentials.refused(1_001);
    expect(credentials.fresh(1_002)).toBeDefined();
    credentials.refused(LATER_MS);
    expect(credentials.fresh(1_003)).toBeUndefined();
  });

  it("the kubeconfig too; while it cannot be read, what was read before stays", async () => {
    const credentials = loaded({ user: { token: "t1" } });
    expect(await authorization(credentials)).toBe("Bearer t1");
    write("kubeconfig", "users: [");
    credentials.refused(LATER_MS);
    expect(await authorization(credentials, LATER_MS)).toBe("Bearer t1");
    kubeconfig({ user: { token: "t2" } });
    credentials.refused(2 * LATER_MS);
    expect(await authorization(credentials, 2 * LATER_MS)).toBe("Bearer t2");
  });

  it.each<readonly [string, object, object]>([
    ["server", {}, { server: "https://10.0.0.2:6443" }],
    ["port", {}, { server: "https://10.0.0.1:6444" }],
    ["cluster behind the same gateway", { server: `${SERVER}/k8s/clusters/a` }, { server: `${SERVER}/k8s/clusters/b` }],
    ["proxy", { "proxy-url": "http://proxy:3128" }, { "proxy-url": "http://other:3128" }],
    ["protocol of the proxy", { "proxy-url": "socks5://proxy:3128" }, { "proxy-url": "http://proxy:3128" }],
    ["way, by a proxy", {}, { "proxy-url": "http://proxy:3128" }],
    ["way, without a proxy", { "proxy-url": "http://proxy:3128" }, {}],
  ])("no credentials for another %s are sent to this one", async (_what, cluster, other) => {
    const credentials = loaded({ user: { token: "t1" }, cluster });
    const { proxy } = await credentials.renew(0);
    kubeconfig({ user: { token: SECRET }, cluster: other });
    credentials.refused(LATER_MS);
    const access = await credentials.renew(LATER_MS);
    expect(access.headers["authorization"]).toBe("Bearer t1");
    expect(access.proxy).toBe(proxy);
  });

  it("a slash at the end of the server, or another password of the proxy, is the same server by the same way", async () => {
    const credentials = loaded({
      user: { token: "t1" },
      cluster: { server: `${SERVER}/a`, "proxy-url": "http://me:p1@proxy:3128" },
    });
    kubeconfig({ user: { token: "t2" }, cluster: { server: `${SERVER}/a/`, "proxy-url": "http://me:p2@proxy:3128" } });
    credentials.refused(LATER_MS);
    const access = await credentials.renew(LATER_MS);
    expect(access.headers["authorization"]).toBe("Bearer t2");
    expect(access.proxy).toBe("http://me:p2@proxy:3128");
  });

  it("a file that is gone is named in the error", async () => {
    write("token", SECRET);
    const credentials = loaded({ user: { tokenFile: "token" } });
    rmSync(join(directory, "token"));
    await expect(credentials.renew(0)).rejects.toThrow(join(directory, "token"));
  });
});
