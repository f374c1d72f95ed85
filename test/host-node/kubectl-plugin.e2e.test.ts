/** `kubectl stint`: the real kubectl finds `kubectl-stint` in the path, and that asks the cluster that kubectl asks. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { hasKubectl, succeed } from "./kubectl.ts";
import { BUNDLE, type Served, startServe } from "./serving.ts";

const JOB = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "hold" }, spec: { suspend: true, template: {} } };
const POD = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox" }] } };

describe.skipIf(!hasKubectl)("kubectl stint", () => {
  let served: Served;
  let elsewhere: string;
  let named: string;

  beforeAll(async () => {
    served = await startServe(["--runtime", "none"]);
    await succeed(served, ["create", "namespace", "team"]);
    const job = stringify({ ...JOB, spec: { ...JOB.spec, template: POD } });
    await succeed(served, ["create", "-n", "team", "-f", "-"], job);
    const bin = join(served.directory, "bin");
    mkdirSync(bin);
    symlinkSync(BUNDLE, join(bin, "kubectl-stint"));
    elsewhere = join(served.directory, "elsewhere");
    mkdirSync(elsewhere);
    // Only this context leads to the server.
    const { contexts, ...config } = parse(readFileSync(served.kubeconfig, "utf8"));
    named = join(served.directory, "named.kubeconfig");
    const there = { ...contexts[0], name: "there" };
    const nowhere = { name: "nowhere", context: { cluster: "none", user: "none" } };
    writeFileSync(
      named,
      stringify({
        ...config,
        "clusters": [...config.clusters, { name: "none", cluster: { server: "https://127.0.0.1:1" } }],
        "users": [...config.users, { name: "none", user: {} }],
        "contexts": [there, nowhere],
        "current-context": "nowhere",
      }),
    );
  });
  afterAll(async () => {
    expect(await served.stop()).toBe(0);
  });

  function plugin(args: readonly string[], env: NodeJS.ProcessEnv = {}): { status: number | null; said: string } {
    const { KUBECONFIG: _, ...rest } = process.env;
    const path = [join(served.directory, "bin"), dirname(process.execPath), process.env["PATH"]].join(delimiter);
    const { status, stdout, stderr } = spawnSync("kubectl", ["stint", ...args], {
      cwd: elsewhere,
      encoding: "utf8",
      env: { ...rest, PATH: path, HOME: served.directory, ...env },
    });
    return { status, said: `${stdout}${stderr}` };
  }

  it("takes --namespace, --context and --kubeconfig as kubectl does", () => {
    const flags = ["--namespace", "team", "--context", "there", "--kubeconfig", named];
    const { status, said } = plugin(["why", "job/hold", ...flags]);
    expect(said).toMatch(/^job team\/hold {2}Suspended\n/);
    expect(status).toBe(0);
    expect(plugin(["why", "job/hold", "-n", "team", "--kubeconfig", named]).status).toBe(2);
  });

  it("takes $KUBECONFIG", () => {
    const { said } = plugin(["why", "hold", "-n", "team", "--context=there"], { KUBECONFIG: named });
    expect(said).toMatch(/^job team\/hold {2}Suspended\n/);
  });

  it("asks no cluster of the folder, which kubectl would not ask either", () => {
    writeFileSync(join(elsewhere, "stint.kubeconfig"), readFileSync(served.kubeconfig));
    const { status, said } = plugin(["why", "hold", "-n", "team"]);
    expect(said).not.toContain("stint.kubeconfig");
    expect(status).toBe(2);
  });
});
