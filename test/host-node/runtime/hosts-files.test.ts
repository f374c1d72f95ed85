/** What containers find in /etc/hosts, inside bubblewrap, and that it changes while they run. */
import { existsSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { ProcessRuntime } from "../../../host-node/runtime/process-runtime.ts";
import { bubblewrap, hasBubblewrap } from "./bubblewrap-here.ts";
import { createPod, POD_IP, podOf, run, start } from "./running.ts";

let runtime: ProcessRuntime;
afterEach(() => runtime.close());

const sandboxed = (): ProcessRuntime =>
  (runtime = new ProcessRuntime({ isolation: { bubblewrap }, network: false, workingDirectory: "/" }));
const linesOf = (text: string): string[] => text.split("\n").map((line) => line.replaceAll("\t", " "));

describe.skipIf(!hasBubblewrap || !existsSync("/etc/hosts"))("/etc/hosts of a container", () => {
  it("has the lines of this machine, of the pod and of its aliases", async () => {
    const aliases = [{ ip: "127.1.1.1", hostnames: ["database", "database.example"] }];
    const spec = { hostname: "train-0", subdomain: "workers", hostAliases: aliases };
    const { stdout } = await run(sandboxed(), podOf(["cat", "/etc/hosts"], {}, spec));
    expect(linesOf(stdout).slice(-3)).toEqual([
      `${POD_IP} train-0.workers.default.svc.cluster.local train-0`,
      "127.1.1.1 database database.example",
      "",
    ]);
    expect(stdout).toContain("localhost");
  });

  it("gets the names of Services while the container runs, and loses them", async () => {
    const name = { namespace: "default", names: ["train-1.workers"], address: "127.200.0.2" };
    sandboxed().setServiceNames([{ ...name, namespace: "other" }]);
    const script = (wanted: string): string => `until ${wanted}; do sleep 0.01; done; cat /etc/hosts; echo end`;
    const [added, removed] = ["grep -q 'train-1.workers$' /etc/hosts", "! grep -q train-1 /etc/hosts"];
    const pod = podOf(["sh", "-c", `cat /etc/hosts; echo begin; ${script(added!)}; ${script(removed!)}`]);
    await createPod(runtime, pod);
    const running = start(runtime, pod);
    await running.outputHas("begin\n");
    runtime.setServiceNames([name]);
    await running.outputHas("end\n");
    runtime.setServiceNames([]);
    expect((await running.end).exit?.exitCode).toBe(0);
    const [before, after, last] = running.stdout().split(/begin\n|end\n/);
    const spellings = (namespace: string): string =>
      ["svc.cluster.local", "svc"].map((domain) => `train-1.workers.${namespace}.${domain}`).join(" ");
    expect(linesOf(before!).at(-2)).toBe(`127.200.0.2 ${spellings("other")} train-1.workers.other`);
    expect(linesOf(after!).at(-2)).toBe(`127.200.0.2 ${spellings("default")} train-1.workers.default train-1.workers`);
    expect(linesOf(last!).at(-2)).toBe(`${POD_IP} ${pod.metadata.name}`);
  });

  it("is that of a volume where one is mounted", async () => {
    const files = new Map([["v", [{ path: "a", bytes: Buffer.from("mine"), mode: 0o644 }]]]);
    const container = { volumeMounts: [{ name: "v", mountPath: "/etc" }] };
    const pod = podOf(["/usr/bin/ls", "/etc"], container, { volumes: [{ name: "v", configMap: { name: "c" } }] });
    await createPod(sandboxed(), pod, files);
    const running = start(runtime, pod);
    await running.end;
    expect(running.stdout()).toBe("a\n");
  });
});
