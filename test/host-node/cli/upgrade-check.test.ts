/** `stint upgrade-check`: what it reads, what it says, where it points, and its exit statuses. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { CommandFolder } from "./command-folder.ts";

const folder = new CommandFolder();
afterAll(() => folder.remove());

const GOOD = `apiVersion: batch/v1
kind: Job
metadata:
  name: good
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: work
          image: example.com/work:1
`;
const OVERRIDE = GOOD.replace("name: good", "name: named").replace(
  "      restart",
  "      hostnameOverride: a\n      restart",
);
const CRON_JOB = `apiVersion: batch/v1
kind: CronJob
metadata: { name: nightly, namespace: team }
spec:
  schedule: "0 3 * * *"
  jobTemplate:
    spec:
      parallelism: 3
      template: { spec: { restartPolicy: Never, hostUsers: false, containers: [{ name: a, image: a }] } }
`;

const file = (name: string, text: string): string => folder.file(name, text);
const check = (...args: readonly string[]): ReturnType<CommandFolder["run"]> => folder.run("upgrade-check", ...args);

describe("files", () => {
  it("shows the place, what was and what will be", async () => {
    expect(await check("--from", "1.34", file("named.yaml", OVERRIDE))).toEqual({
      exit: 1,
      err: "",
      out: `named.yaml:8:7: Job default/named: hostname-override
  spec.template.spec.hostnameOverride
  before 1.35: hostnameOverride is dropped: the pod has the name that the Job gives it
  since 1.35: hostnameOverride is kept: all pods of the Job have this name
  docs/upgrade-check.md#hostname-override
1 of 1 Job behaves differently on 1.37 than on 1.34
`,
    });
  });

  it("says that nothing changes", async () => {
    const good = file("good.yaml", GOOD);
    expect(await check("--from", "1.32", good)).toEqual({
      exit: 0,
      err: "",
      out: "nothing changes from 1.32 to 1.37: 1 Job\n",
    });
  });

  it("knows only what changes between the two versions", async () => {
    const named = file("named.yaml", OVERRIDE);
    expect((await check("--from", "1.35", named)).exit).toBe(0);
    expect((await check("--from", "v1.33.2", "--to", "1.34", named)).exit).toBe(0);
    expect((await check("--from", "v1.33.2", "--to", "1.35", named)).exit).toBe(1);
  });

  it("marks what was read of a beta and not run", async () => {
    const owned = file(
      "owned.yaml",
      GOOD.replace(
        "      containers:",
        "      volumes: [{ name: v, secret: { secretName: s, defaultUser: 1 } }]\n      containers:",
      ),
    );
    expect((await check("--from", "1.37", "--to", "1.38", owned)).out).toContain(
      "  since 1.38 (beta: read, not run): they are kept: the files belong to that user\n",
    );
    const { out } = await check("--from", "1.37", "--to", "1.38", "-o", "json", owned);
    expect(JSON.parse(out).findings).toMatchObject([
      { change: "owners-of-files-in-volumes", since: "1.38", beta: true },
    ]);
    expect((await check("--from", "1.36", owned)).out).toBe("nothing changes from 1.36 to 1.37: 1 Job\n");
  });

  it("looks into CronJobs, and gives one JSON object", async () => {
    const { exit, out } = await check("--from", "1.32", "-o", "json", file("nightly.yaml", CRON_JOB));
    expect([exit, JSON.parse(out).findings]).toMatchObject([
      1,
      [
        {
          file: "nightly.yaml",
          line: 9,
          kind: "CronJob",
          namespace: "team",
          name: "nightly",
          change: "user-namespaces",
          since: "1.33",
          page: "docs/upgrade-check.md#user-namespaces",
          fields: ["spec.jobTemplate.spec.template.spec.hostUsers"],
        },
        { line: 8, change: "active-while-a-retry-waits", fields: ["spec.jobTemplate.spec.parallelism"] },
      ],
    ]);
  });

  it("annotates lines on GitHub", async () => {
    const { out } = await check("--from", "1.34", "-o", "github", file("named.yaml", OVERRIDE));
    expect(out).toMatch(
      /^::warning file=named\.yaml,line=8,col=7,title=hostname-override::Job default\/named, .*%0Abefore 1\.35: .*%0A.*\n$/,
    );
  });

  it("reports what cannot be read with status 2, after the findings", async () => {
    const { exit, out, err } = await check("--from", "1.34", file("bad.yaml", `${OVERRIDE}---\na: [\n`));
    expect(exit).toBe(2);
    expect(out).toContain("hostname-override");
    expect(err).toMatch(/^bad\.yaml:\d+:\d+: /);
  });

  it.each([
    [["good.yaml"], "files say nothing of the present version of Kubernetes; give it with --from 1.34"],
    [["--from", "1.31", "good.yaml"], '--from is "1.31"; allowed are 1.32, 1.33, 1.34, 1.35, 1.36, 1.37, 1.38'],
    [
      ["--from", "1.34", "--to", "two", "good.yaml"],
      '--to is "two"; allowed are 1.32, 1.33, 1.34, 1.35, 1.36, 1.37, 1.38',
    ],
    [["--from", "1.37", "good.yaml"], "an upgrade goes to a later version; this one goes from 1.37 to 1.37"],
    [["--from", "1.34", "--context", "c", "good.yaml"], "files were named, and a cluster too"],
  ])("refuses %s", async (args, message) => {
    file("good.yaml", GOOD);
    const { exit, err } = await check(...args.map((arg) => (arg === "good.yaml" ? path.join(folder.path, arg) : arg)));
    expect(exit).toBe(2);
    expect(err).toContain(message);
  });
});

describe("a cluster", () => {
  let server: Server | undefined;
  const asked: string[] = [];
  afterEach(() => {
    server?.close();
    asked.length = 0;
  });

  /** A kubeconfig of a server with these answers, by path. */
  async function cluster(answers: Readonly<Record<string, object>>): Promise<string> {
    server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      const answer = answers[request.url!];
      response.writeHead(answer === undefined ? 403 : 200, { "content-type": "application/json" });
      response.end(JSON.stringify(answer ?? { kind: "Status", message: "not allowed" }));
    });
    await new Promise<void>((resolve) => server!.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const config = {
      apiVersion: "v1",
      kind: "Config",
      "current-context": "c",
      clusters: [{ name: "c", cluster: { server: `http://127.0.0.1:${port}`, "insecure-skip-tls-verify": true } }],
      users: [{ name: "u", user: {} }],
      contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    };
    return file("kubeconfig", JSON.stringify(config));
  }

  const job = (name: string, more: object = {}) => ({
    metadata: { name, namespace: "team" },
    spec: { suspend: true, activeDeadlineSeconds: 60, template: { spec: {} } },
    ...more,
  });
  const ENDED = { status: { conditions: [{ type: "Complete", status: "True" }] } };

  it("takes its version and its Jobs, page by page, and only reads", async () => {
    const kubeconfig = await cluster({
      "/version": { gitVersion: "v1.35.4+k3s1" },
      "/apis/batch/v1/cronjobs?limit=500": { metadata: {}, items: [] },
      "/apis/batch/v1/jobs?limit=500": { metadata: { continue: "next" }, items: [job("one")] },
      "/apis/batch/v1/jobs?limit=500&continue=next": { metadata: {}, items: [job("two"), job("ended", ENDED)] },
    });
    const { exit, out, err } = await check("--kubeconfig", kubeconfig);
    expect([exit, err]).toEqual([1, ""]);
    expect(out).toContain("Job team/one: deadline-of-a-suspended-job\n  spec.activeDeadlineSeconds\n");
    expect(out).toMatch(/\n2 of 2 Jobs behave differently on 1\.37 than on 1\.35\n$/);
    expect(asked.filter((request) => !request.startsWith("GET "))).toEqual([]);
  });

  it("says what it may not read", async () => {
    const kubeconfig = await cluster({ "/version": { gitVersion: "v1.34.1" } });
    const { exit, out, err } = await check("--kubeconfig", kubeconfig, "-n", "team");
    expect([exit, out]).toEqual([2, ""]);
    expect(err).toContain("does not list /apis/batch/v1/namespaces/team/cronjobs: 403: not allowed");
  });

  it("says that it knows no change of the cluster's version", async () => {
    const kubeconfig = await cluster({
      "/version": { gitVersion: "v1.31.0" },
      "/apis/batch/v1/cronjobs?limit=500": { metadata: {}, items: [] },
      "/apis/batch/v1/jobs?limit=500": { metadata: {}, items: [] },
    });
    const { exit, err } = await check("--kubeconfig", kubeconfig);
    expect(exit).toBe(2);
    expect(err).toContain(`the cluster's version is "v1.31.0"; allowed are 1.32, `);
  });
});
