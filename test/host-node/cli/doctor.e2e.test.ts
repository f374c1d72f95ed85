/** `stint doctor` on a terminal, and its page. transcripts/doctor.txt has what it prints, and its exit statuses. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Agent, request } from "undici";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { FINDINGS } from "../../../host-node/cli/doctor/finding.ts";
import { main } from "./checked-main.ts";
import { buildModule } from "../../../scripts/build-engine.ts";
import { type Served, startServe } from "../serving.ts";
import { withoutFoundNote } from "./found-note.ts";
import { RecordingConsole } from "./recording-console.ts";

interface Printed {
  readonly out: string;
  readonly err: string;
}

/** In a folder, with both streams on a terminal. */
async function doctorOnTerminal(directory: string, args: readonly string[]): Promise<Printed> {
  const console = new RecordingConsole(directory);
  console.terminal = () => ({ columns: 80, rows: 24 });
  Object.assign(console, { isErrorTerminal: true });
  await main(["doctor", ...args], "0.0.0", console);
  return { out: console.out, err: withoutFoundNote(console.err) };
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
    for (let i = 0; i < 12; i++) {
      const pod = {
        metadata: { name: `stray-${i}`, finalizers: ["batch.kubernetes.io/job-tracking"] },
        spec: { containers: [{ name: "main", image: "none" }] },
      };
      expect(await post(served, "/api/v1/namespaces/default/pods", pod)).toBe(201);
    }
  });
  afterAll(() => served?.stop());

  it("shows on a terminal how far it is, and removes that line", async () => {
    const { out, err } = await doctorOnTerminal(served.directory, ["--older-than", "1ms"]);
    expect(err).toMatch(/^\r\x1b\[2Kreading Jobs: 0[^]*\r\x1b\[2Kreading pods: 12[^]*\r\x1b\[2K$/);
    expect(out).toMatch(/^\x1b\[31merror\x1b\[0m \x1b\[1mFinalizerLeft\x1b\[0m: /);
  });
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
