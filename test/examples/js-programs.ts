/**
 * The programs of examples/js, tried by whatever runs JavaScript: the webhook answers as an API server asks, the
 * controller runs a Job.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MAX_REVIEW_BYTES } from "../../bindings/js/abi.ts";
import type { ApiResponse } from "../../bindings/js/host.ts";
import { RealClock } from "../../host-node/clock.ts";
import { createServerCertificate } from "../../host-node/server/certificates.ts";
import { connect } from "../../host-node/transport/connect.ts";
import { startServe } from "../host-node/serving.ts";
import { reviewOf, webhookCases } from "./webhook-cases.ts";

type Program = ChildProcessByStdio<null, Readable, Readable>;

/** A command, and its arguments before the path of the program. */
export type Runner = readonly [command: string, ...args: string[]];

/** The first line of its output. @throws Error with what it said when it ends before */
async function firstLine(program: Program): Promise<string> {
  let errors = "";
  program.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  for await (const line of createInterface(program.stdout)) return line;
  throw new Error(`it has ended: ${errors}`);
}

/** Tests that belong to a describe. @param runner is asked for when a test begins. @param folder has the programs */
export function tryPrograms(runner: () => Runner, folder: string): void {
  const start = (name: string, args: readonly string[]): Program => {
    const [command, ...before] = runner();
    return spawn(command, [...before, join(folder, name), ...args], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  };

  describe("the webhook", () => {
    const scratch = mkdtempSync(join(tmpdir(), "stint-example-"));
    let program: Program;
    let port: number;
    let authority: string;

    beforeAll(async () => {
      const pair = createServerCertificate(Date.now());
      authority = pair.authority;
      const [certificate, key] = [join(scratch, "tls.crt"), join(scratch, "tls.key")];
      writeFileSync(certificate, pair.certificate);
      writeFileSync(key, pair.privateKey);
      program = start("webhook.mjs", [certificate, key, "0"]);
      port = Number(new URL(await firstLine(program)).port);
    });

    afterAll(async () => {
      program?.kill();
      if (program !== undefined && program.exitCode === null) await once(program, "close");
      rmSync(scratch, { recursive: true, force: true });
    });

    async function post(path: string, body: string): Promise<{ readonly status: number; readonly body: string }> {
      const sent = request({ host: "127.0.0.1", port, path: `${path}?timeout=5s`, method: "POST", ca: authority });
      sent.setHeader("content-type", "application/json");
      sent.on("error", () => {}); // It may be answered before it was sent whole.
      sent.end(body);
      const [answer] = (await once(sent, "response")) as [Readable & { readonly statusCode: number }];
      return { status: answer.statusCode, body: Buffer.concat(await answer.toArray()).toString() };
    }

    test.each(webhookCases)("$path: $name", async (one) => {
      const { apiVersion, kind, response } = JSON.parse((await post(one.path, reviewOf(one))).body);
      expect({ apiVersion, kind, uid: response.uid }).toEqual({
        apiVersion: "admission.k8s.io/v1",
        kind: "AdmissionReview",
        uid: "r",
      });
      expect({
        allowed: response.allowed,
        message: response.status?.message,
        warnings: response.warnings ?? [],
        isPatched: response.patch !== undefined,
      }).toEqual({ allowed: one.allowed, message: one.message, warnings: one.warnings, isPatched: one.isPatched });
    });

    test("answers what is no review with an error, and continues", async () => {
      expect(await post("/validate", "{")).toMatchObject({ status: 400 });
      const tooMuch = await post("/validate", " ".repeat(MAX_REVIEW_BYTES + 1));
      expect(tooMuch).toEqual({ status: 400, body: `more than ${MAX_REVIEW_BYTES} bytes` });
      const [first] = webhookCases;
      expect(JSON.parse((await post(first!.path, reviewOf(first!))).body).response.allowed).toBe(true);
    });
  });

  test("the controller runs a Job", async () => {
    const served = await startServe(["--no-controller"]);
    const program = start("controller.mjs", [served.kubeconfig]);
    const clock = new RealClock();
    const connection = connect({ clock, kubeconfig: served.kubeconfig, environment: {} });
    try {
      let errors = "";
      program.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
      const job = JSON.parse(reviewOf({ ...webhookCases[0]!, spec: { completions: 2 } })).request.object;
      delete job.metadata.uid;
      job.metadata.namespace = "default";
      job.spec.template.metadata = { annotations: { "stint.dev/simulate": JSON.stringify({ runMs: 50 }) } };
      const created = await new Promise<ApiResponse>((done) =>
        connection.transport.send(
          {
            method: "POST",
            path: "/apis/batch/v1/namespaces/default/jobs",
            headers: { "content-type": "application/json" },
            body: JSON.stringify(job),
          },
          done,
        ),
      );
      expect(created.status).toBe(201);
      const lines: string[] = [];
      for await (const line of createInterface(program.stdout)) {
        lines.push(line);
        if (line.includes("has ended")) break;
      }
      const last = "default/j: the Job has ended with Complete: 2 succeeded, 0 failed";
      expect({ last: lines.at(-1), errors }).toEqual({ last, errors: "" });
      // Ctrl-C ends it in good order.
      program.kill("SIGINT");
      const [exit] = await once(program, "close");
      expect({ exit, errors }).toEqual({ exit: 0, errors: "" });
    } finally {
      program.kill("SIGKILL");
      await connection.close();
      clock.stop();
      await served.stop();
    }
  });
}
