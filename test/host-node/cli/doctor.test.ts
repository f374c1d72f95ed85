/** `stint doctor` of a `stint serve`: what it prints, as text and as JSON, and its exit status. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Agent, request } from "undici";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { FINDINGS } from "../../../host-node/cli/doctor/finding.ts";
import { main } from "../../../host-node/cli/program.ts";
import { buildModule } from "../../../scripts/build-engine.ts";
import { type Served, startServe } from "../serving.ts";
import { withoutFoundNote } from "./found-note.ts";
import { RecordingConsole } from "./recording-console.ts";

interface Told {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

/** In a folder; `terminal` also of standard error. */
async function doctor(directory: string, args: readonly string[], terminal = false): Promise<Told> {
  const console = new RecordingConsole(directory);
  if (terminal) {
    console.terminal = () => ({ columns: 80, rows: 24 });
    Object.assign(console, { isErrorTerminal: true });
  }
  const exit = await main(["doctor", ...args], "0.0.0", console);
  return { exit, out: console.out, err: withoutFoundNote(console.err) };
}

async function post({ kubeconfig, port }: Served, path: string, body: object): Promise<number> {
  const config = parse(readFileSync(kubeconfig, "utf8"));
  const ca = Buffer.from(config.clusters[0].cluster["certificate-authority-data"], "base64");
  const dispatcher = new Agent({ connect: { ca } });
  const { statusCode } = await request(`https://127.0.0.1:${port}${path}`, {
    dispatcher,
    method: "POST",
    body: JSON.stringify(body),
    headers: { authorization: `Bearer ${config.users[0].user.token}`, "content-type": "application/json" },
  });
  await dispatcher.destroy();
  return statusCode;
}

describe("doctor", () => {
  let served: Served;
  beforeAll(async () => {
    await buildModule("engine");
    served = await startServe(["--api-only"]);
  });
  afterAll(() => served?.stop());

  it("finds nothing in an empty cluster", async () => {
    expect(await doctor(served.directory, [])).toEqual({
      exit: 0,
      err: "",
      out: "nothing is wrong: 0 Jobs and 0 pods were looked at\n",
    });
  });

  it("tells what is wrong, and how it is mended; and is content afterwards", async () => {
    for (let i = 0; i < 12; i++) {
      const pod = {
        metadata: { name: `stray-${i}`, finalizers: ["batch.kubernetes.io/job-tracking"] },
        spec: { containers: [{ name: "main", image: "none" }] },
      };
      expect(await post(served, "/api/v1/namespaces/default/pods", pod)).toBe(201);
    }
    const { exit, out, err } = await doctor(served.directory, ["--older-than", "1ms"]);
    expect({ exit, err }).toEqual({ exit: 1, err: "" });
    const lines = out.split("\n");
    const kubectl = "kubectl --kubeconfig ./stint.kubeconfig -n default patch pod stray-0 --type json -p '[";
    expect(lines.slice(0, 2)).toEqual([
      "error FinalizerLeft: pods keep a finalizer that no controller will remove",
      "  pod default/stray-0: it has the finalizer batch.kubernetes.io/job-tracking, and it has no owner",
    ]);
    expect(lines[2]).toContain(`    mend: ${kubectl}`);
    expect(lines.slice(-4)).toEqual([
      "  … and 2 more; --output json shows all",
      "",
      "12 errors: 0 Jobs and 12 pods were looked at; docs/doctor.md says what to look at first",
      "",
    ]);

    const json = await doctor(served.directory, ["--older-than", "1ms", "--output", "json"]);
    const told = JSON.parse(json.out);
    expect(told).toMatchObject({ left: 0, skipped: [], jobs: 0, pods: 12 });
    expect(told.findings[11]).toMatchObject({
      id: "FinalizerLeft",
      severity: "error",
      kind: "pod",
      namespace: "default",
    });

    expect((await doctor(served.directory, ["--older-than", "1h"])).exit).toBe(0);
    expect((await doctor(served.directory, ["--older-than", "1ms", "--namespace", "other"])).exit).toBe(0);
  });

  it("shows on a terminal how far it is, and removes that line", async () => {
    const { out, err } = await doctor(served.directory, ["--older-than", "1ms"], true);
    expect(err).toMatch(/^\r\x1b\[2Kreading Jobs: 0[^]*\r\x1b\[2Kreading pods: 12[^]*\r\x1b\[2K$/);
    expect(out).toMatch(/^\x1b\[31merror\x1b\[0m \x1b\[1mFinalizerLeft\x1b\[0m: /);
  });
});

it("ends with status 2 when no cluster is reachable", async () => {
  const { exit, out, err } = await doctor("/", ["--kubeconfig", "/nowhere"]);
  expect({ exit, out }).toEqual({ exit: 2, out: "" });
  expect(err).toMatch(/^stint: /);
});

describe("docs/doctor.md", () => {
  it("has a section for each finding, with its severity", () => {
    const document = readFileSync(resolve(import.meta.dirname, "../../../docs/doctor.md"), "utf8");
    const sections = [...document.matchAll(/^### (\w+)\n\n(Error|Warning)\. /gm)].map(([, id, word]) => [
      id,
      word!.toLowerCase(),
    ]);
    expect(sections).toEqual(Object.entries(FINDINGS).map(([id, { severity }]) => [id, severity]));
  });
});
