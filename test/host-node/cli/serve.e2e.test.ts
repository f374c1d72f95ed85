/** `stint serve` as a process: what it writes, what it leaves, and how it refuses. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, statSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { buildModule } from "../../../scripts/build-engine.ts";
import { isRunning } from "../runtime/running.ts";
import { MAIN, runStint, type Served, spawnStint, startServe } from "../serving.ts";

beforeAll(async () => {
  await buildModule("engine");
});

/** Asks the API as the kubeconfig says. */
function ask(served: Served, method: string, path: string, body?: object): Promise<{ status: number; body: any }> {
  const config = parse(readFileSync(served.kubeconfig, "utf8"));
  const ca = Buffer.from(config.clusters[0].cluster["certificate-authority-data"], "base64").toString();
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${config.users[0].user.token}`, "content-type": "application/json" };
    const sent = request(
      `${config.clusters[0].cluster.server}${path}`,
      { method, ca, headers, agent: false },
      (response) => {
        let text = "";
        response.on("data", (chunk: Buffer) => (text += chunk.toString()));
        response.on("end", () =>
          resolve({
            status: response.statusCode!,
            body: response.headers["content-type"]?.includes("json") ? JSON.parse(text) : text,
          }),
        );
      },
    );
    sent.on("error", reject).end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Asks again until the answer is what is waited for; the test's own time limit is the limit. */
async function until(served: Served, path: string, holds: (body: any) => boolean): Promise<any> {
  for (;;) {
    const { body } = await ask(served, "GET", path);
    if (holds(body)) return body;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const jobs = "/apis/batch/v1/namespaces/default/jobs";
function job(name: string, command: readonly string[]): object {
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name },
    spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "none", command }] } } },
  };
}

describe("stint serve", () => {
  let served: Served;
  beforeAll(async () => {
    // With its own process view, a container would print other process IDs than those of this machine.
    served = await startServe(["--runtime", "process", "--no-isolation", "--share-processes"]);
  });
  afterAll(() => served.process.kill("SIGKILL"));

  it("writes a kubeconfig that only its user can read", () => {
    expect(statSync(served.kubeconfig).mode & 0o777).toBe(0o600);
  });

  it("keeps serving after bad requests", async () => {
    expect(
      (
        await ask(served, "POST", jobs, {
          apiVersion: "batch/v1",
          kind: "Job",
          metadata: { name: "bad" },
          spec: { parallelism: -1, template: {} },
        })
      ).status,
    ).toBe(422);
    expect(
      (
        await ask(served, "POST", `${jobs}?fieldValidation=Strict`, {
          apiVersion: "batch/v1",
          kind: "Job",
          spec: { zork: 1 },
        })
      ).status,
    ).toBe(400);
    expect((await ask(served, "GET", "/no/such/path")).status).toBe(404);
    expect((await ask(served, "POST", jobs, { padding: "x".repeat(4 * 1024 * 1024) })).status).toBe(413);
    expect((await ask(served, "GET", "/readyz")).body).toBe("ok");
  });

  it("fails a Job whose command does not exist, and continues with others", async () => {
    await ask(served, "POST", jobs, {
      ...job("missing", ["no-such-command"]),
      spec: {
        backoffLimit: 0,
        template: {
          spec: { restartPolicy: "Never", containers: [{ name: "main", image: "none", command: ["no-such-command"] }] },
        },
      },
    });
    await ask(served, "POST", jobs, job("fine", ["true"]));
    await until(served, `${jobs}/missing`, (body) =>
      body.status?.conditions?.some(({ type }: { type: string }) => type === "Failed"),
    );
    await until(served, `${jobs}/fine`, (body) =>
      body.status?.conditions?.some(({ type }: { type: string }) => type === "Complete"),
    );
    const pods = (await ask(served, "GET", "/api/v1/namespaces/default/pods?labelSelector=job-name%3Dmissing")).body;
    expect(pods.items[0].status.containerStatuses[0].state.terminated).toMatchObject({
      exitCode: 128,
      reason: "StartError",
      message: 'exec: "no-such-command": executable file not found in $PATH',
    });
  });

  it("says once what has no effect, and not for each Job", () => {
    expect(served.output().match(/: spec\.containers\[0\]\.image has no effect: /g)).toHaveLength(1);
  });

  it("serves the metrics of its controller to clients with the token", async () => {
    const { status, body } = await ask(served, "GET", "/metrics");
    expect(status).toBe(200);
    expect(body).toContain(
      '\njob_controller_jobs_finished_total{completion_mode="NonIndexed",result="succeeded",reason="CompletionsReached"} 1\n',
    );
    expect(body).toContain(
      '\njob_controller_jobs_finished_total{completion_mode="NonIndexed",result="failed",reason="BackoffLimitExceeded"} 1\n',
    );
  });

  it("refuses to start a second time: the port is in use, the kubeconfig exists", async () => {
    const port = await runStint(["serve", "--port", String(served.port), "--kubeconfig", "other"], served.directory);
    expect(port).toEqual({
      exit: 2,
      out: "",
      err: `stint: port ${served.port} of 127.0.0.1 is in use; name another one with --port (0: any free one)\n`,
    });
    expect(existsSync(join(served.directory, "other"))).toBe(false);

    const file = await runStint(["serve"], served.directory);
    expect(file.exit).toBe(2);
    expect(file.err).toBe(
      `stint: ${served.kubeconfig} is the kubeconfig of a server that runs at https://127.0.0.1:${served.port}; end that one, or name another file with --kubeconfig\n`,
    );
    expect((await ask(served, "GET", "/readyz")).status).toBe(200);
  });

  it("ends with 0 on Ctrl-C and leaves neither kubeconfig nor process", async () => {
    await ask(served, "POST", jobs, job("long", ["sh", "-c", "trap '' TERM; echo $$$$; while :; do sleep 0.05; done"]));
    const { items } = await until(
      served,
      "/api/v1/namespaces/default/pods?labelSelector=job-name%3Dlong",
      (body) => body.items[0]?.status.phase === "Running",
    );
    const log = await until(served, `/api/v1/namespaces/default/pods/${items[0].metadata.name}/log`, (body) =>
      /^\d+\n$/.test(body),
    );
    const { kubeconfig } = served;
    expect(await served.stop()).toBe(0);
    expect(existsSync(kubeconfig)).toBe(false);
    expect(served.output()).toMatch(new RegExp(`\nStopped, and removed ${kubeconfig}\\.\n$`));
    expect(isRunning(Number(log))).toBe(false);
  });
});

describe("stint serve after one that was killed", () => {
  it("replaces its kubeconfig", async () => {
    const killed = await startServe();
    const before = readFileSync(killed.kubeconfig, "utf8");
    killed.process.kill("SIGKILL");
    await new Promise((resolve) => killed.process.once("close", resolve));
    const served = await startServe([], killed.directory);
    expect(readFileSync(killed.kubeconfig, "utf8")).not.toBe(before);
    expect(served.output()).toContain(
      `${killed.kubeconfig} was left behind by a server that was killed, and is replaced\n`,
    );
    expect((await ask(served, "GET", "/readyz")).body).toBe("ok");
    expect(await served.stop()).toBe(0);
  });
});

describe("the log of a simulated container", () => {
  const silent = job("silent", ["echo", "hello"]) as any;
  silent.spec.template.metadata = { annotations: { "stint.dev/simulate": '{"runMs": 0}' } };
  const logOf = async (served: Served): Promise<string> => {
    await ask(served, "POST", jobs, silent);
    const pods = "/api/v1/namespaces/default/pods";
    const { items } = await until(served, pods, ({ items }) => items[0]?.status?.phase === "Succeeded");
    return (await ask(served, "GET", `${pods}/${items[0].metadata.name}/log`)).body;
  };

  it("says that no command ran, and what runs one", async () => {
    const served = await startServe();
    expect(await logOf(served)).toMatch(/^simulated: this container ran no command; .* --runtime process runs .*\n$/);
    expect(await served.stop()).toBe(0);
  });

  it("is empty in the cluster of a test, which may ask for just that", async () => {
    const served = await startServe(["--control"]);
    expect(await logOf(served)).toBe("");
    expect(await served.stop()).toBe(0);
  });
});

describe("stint serve for a program that has started it", () => {
  it("ends when its standard input closes, and writes lines of JSON", async () => {
    const directory = mkdtempSync(join(tmpdir(), "stint-serve-"));
    const child = spawnStint(["serve", "--until-stdin-closes", "--output", "json"], directory);
    let out = "";
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
    await once(child.stdout, "data");
    const kubeconfig = join(directory, "stint.kubeconfig");
    const { server } = parse(readFileSync(kubeconfig, "utf8")).clusters[0].cluster;
    expect(out).toBe(`${JSON.stringify({ type: "serving", server, kubeconfig })}\n`);
    child.stdin.end();
    const [exitStatus] = await once(child, "close");
    expect(exitStatus).toBe(0);
    expect(out.split("\n")[1]).toBe(JSON.stringify({ type: "stopped", kubeconfig, removed: true }));
    expect(existsSync(kubeconfig)).toBe(false);
  });

  it("ends at a signal while its standard input is open", async () => {
    const directory = mkdtempSync(join(tmpdir(), "stint-serve-"));
    const served = await startServe([], directory, ["--until-stdin-closes"]);
    expect(await served.stop()).toBe(0);
  });

  it("ends at once when it has no standard input", async () => {
    const directory = mkdtempSync(join(tmpdir(), "stint-serve-"));
    const child = spawn(process.execPath, [MAIN, "serve", "--until-stdin-closes"], { cwd: directory, stdio: "ignore" });
    expect(await once(child, "close")).toEqual([0, null]);
  });

  it("does not end with its standard input without --until-stdin-closes", async () => {
    const served = await startServe([], mkdtempSync(join(tmpdir(), "stint-serve-")), []);
    served.process.stdin!.end();
    expect((await ask(served, "POST", jobs, job("goes-on", ["true"]))).status).toBe(201);
    await until(served, `${jobs}/goes-on`, (body) => body.status?.succeeded === 1);
    expect(await served.stop()).toBe(0);
  });
});

describe("stint serve --no-controller", () => {
  it("leaves the Jobs to a controller that comes through the API", async () => {
    const served = await startServe(["--no-controller"]);
    const args = ["controller", "--default-controller", "--kubeconfig", served.kubeconfig, "--listen", "off"];
    const controller = spawnStint([...args, "--leader-elect=false"], served.directory);
    try {
      expect(served.output()).toContain("No controller acts on the Jobs: ");
      await ask(served, "POST", jobs, job("other", ["true"]));
      await until(served, `${jobs}/other`, (body) => body.status.succeeded === 1);
      for (const path of ["/metrics", "/debug/jobs/default/other"])
        expect((await ask(served, "GET", path)).status).toBe(404);
    } finally {
      controller.kill("SIGKILL");
      await served.stop();
    }
  });

  it("has nothing to record", async () => {
    const { exit, err } = await runStint(["serve", "--no-controller", "--record", "r.jsonl"], tmpdir());
    expect(exit).toBe(2);
    expect(err).toBe(
      "stint: --record is given with --no-controller, but it records the input of the controller; leave one of them out\n",
    );
  });
});

describe("stint serve --volume-folder", () => {
  it.each([[[]], [["--runtime", "process", "--no-isolation"]]])("has no meaning with %j", async (more) => {
    const { exit, err } = await runStint(["serve", "--volume-folder", "v", ...more], tmpdir());
    expect(exit).toBe(2);
    expect(err).toBe(
      "stint: --volume-folder is given, but volumes are mounted in containers and inside bubblewrap only; it is for --runtime process with isolation, docker and podman\n",
    );
  });
});

describe("stint serve --api-only", () => {
  it("says that nothing acts, and that other programs do", async () => {
    const served = await startServe(["--api-only"]);
    try {
      expect(served.output()).toContain(
        "Only the API is here: no controller, scheduler, kubelet or garbage collector.",
      );
      expect((await ask(served, "POST", jobs, job("waits", ["true"]))).status).toBe(201);
      expect((await ask(served, "GET", "/metrics")).status).toBe(404);
    } finally {
      await served.stop();
    }
  });

  it.each([
    [["--runtime", "process"], "--runtime <runtime>"],
    [["--scheduler"], "--scheduler"],
    [["--record", "r.jsonl"], "--record <file>"],
    [["--network"], "--network"],
  ])("cannot be used with %j", async (args, name) => {
    const { exit, err } = await runStint(["serve", "--api-only", ...args], tmpdir());
    expect(exit).toBe(2);
    expect(err).toContain(`option '--api-only' cannot be used with option '${name}'`);
  });
});

describe("the scheduler of stint serve", () => {
  const nodes = "/api/v1/nodes";
  const pods = "/api/v1/namespaces/default/pods";

  it("binds pods to the nodes of others with --runtime none --scheduler", async () => {
    const served = await startServe(["--runtime", "none", "--scheduler"]);
    try {
      expect(served.output()).toContain("Pods are bound to the nodes that other programs make");
      await ask(served, "POST", jobs, job("bound", ["true"]));
      await ask(served, "POST", nodes, { metadata: { name: "theirs" } });
      const { items } = await until(served, pods, ({ items }) => items[0]?.spec.nodeName !== undefined);
      expect(items[0].spec.nodeName).toBe("theirs");
    } finally {
      await served.stop();
    }
  });

  it("leaves pods to another one with --no-scheduler, and runs those that name their node", async () => {
    const served = await startServe(["--no-scheduler", "--runtime", "simulated"]);
    try {
      expect(served.output()).toContain("Nothing binds pods to nodes: ");
      await ask(served, "POST", jobs, job("waits", ["true"]));
      const { items } = await until(served, pods, ({ items }) => items.length === 1);
      const [{ metadata }] = items;
      const target = { apiVersion: "v1", kind: "Node", name: "stint" };
      const bound = await ask(served, "POST", `${pods}/${metadata.name}/binding`, { metadata, target });
      expect(bound.status).toBe(201);
      await until(served, `${jobs}/waits`, (body) => body.status.succeeded === 1);
    } finally {
      await served.stop();
    }
  });
});

describe("stint serve --runtime none", () => {
  it("leaves the pods to the clients that drive them through the API", async () => {
    const served = await startServe(["--runtime", "none"]);
    try {
      await ask(served, "POST", jobs, job("driven", ["true"]));
      const { items } = await until(served, "/api/v1/namespaces/default/pods", (body) => body.items.length === 1);
      const { name } = items[0].metadata;
      expect(items[0].spec.nodeName).toBeUndefined();
      const path = `/api/v1/namespaces/default/pods/${name}`;
      expect(
        (
          await ask(served, "POST", `${path}/binding`, {
            apiVersion: "v1",
            kind: "Binding",
            metadata: { name },
            target: { kind: "Node", name: "mine" },
          })
        ).status,
      ).toBe(201);
      const pod = (await ask(served, "GET", path)).body;
      expect(
        (await ask(served, "PUT", `${path}/status`, { ...pod, status: { ...pod.status, phase: "Succeeded" } })).status,
      ).toBe(200);
      await until(served, `${jobs}/driven`, (body) => body.status?.succeeded === 1);
    } finally {
      expect(await served.stop()).toBe(0);
    }
  });
});
