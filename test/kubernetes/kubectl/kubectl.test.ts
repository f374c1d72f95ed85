/**
 * kubectl against a real API server and against `stint serve --api-only`: the same commands, and what it says and exits
 * with, word for word. With the kubectl that is installed, and with the one of the tested Kubernetes.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Served, startServe } from "../../host-node/serving.ts";
import { findKubectl, findOrBuild, whyUnavailable } from "../binaries/binaries.ts";
import { type ControlPlane, startControlPlane } from "../control-plane.ts";
import { sessions, type Step } from "./sessions.ts";

const missing = whyUnavailable();
if (missing !== undefined && process.env["STINT_REQUIRE_CLUSTER"] === "1")
  throw new Error(`STINT_REQUIRE_CLUSTER is 1, and ${missing}`);

interface Said {
  readonly command: string;
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

describe.skipIf(missing !== undefined)("kubectl says the same of both servers", () => {
  let controlPlane: ControlPlane;
  let served: Served;
  let folder: string;
  let newest: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "stint-kubectl-"));
    newest = await findOrBuild("kubectl");
    controlPlane = await startControlPlane();
    served = await startServe(["--api-only"]);
  });
  afterAll(async () => {
    await controlPlane?.stop();
    await served?.stop();
    rmSync(folder, { recursive: true });
  });

  const versions: Readonly<Record<string, () => string>> = {
    "that is installed": () => findKubectl()!,
    "of the tested Kubernetes": () => newest,
  };
  let number = 0;
  describe.each(Object.keys(versions))("the kubectl %s", (version) => {
    test.each(Object.keys(sessions))("%s", async (session) => {
      const program = versions[version]!();
      const namespace = `session-${number++}`;
      const [real, ours] = await Promise.all(
        [controlPlane.kubeconfig(), served.kubeconfig].map((kubeconfig, side) =>
          play(program, kubeconfig, join(folder, String(side)), namespace, sessions[session]!),
        ),
      );
      expect(ours).toEqual(real);
    });
  });
});

async function play(
  program: string,
  kubeconfig: string,
  home: string,
  namespace: string,
  steps: readonly Step[],
): Promise<Said[]> {
  const run = (args: readonly string[], input: string, edit = ""): Promise<Said> =>
    kubectl(program, ["--kubeconfig", kubeconfig, "-n", namespace, ...args], input, {
      HOME: home,
      KUBE_EDITOR: `sed -i -e '${edit}'`,
    });
  await run(["create", "namespace", namespace], "");
  const said: Said[] = [];
  let last = "";
  for (const { command, input = "", edit } of steps) {
    const text =
      input === "last"
        ? last
        : typeof input === "string"
          ? input
          : input.map((object) => JSON.stringify(object)).join("\n---\n");
    const args = command.split(" ").map((word) => word.replaceAll("\u00a0", " "));
    const { status, out, err } = await run(args, text, edit);
    last = out;
    said.push({ command, status, out: comparable(out, namespace), err: comparable(err, namespace) });
  }
  return said;
}

function kubectl(program: string, args: readonly string[], input: string, env: NodeJS.ProcessEnv): Promise<Said> {
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ["pipe", "pipe", "pipe"] });
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
  // It may have ended without reading.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => resolve({ command: args.join(" "), status, out, err }));
  });
}

/** Without what no two servers and no two runs have in common. */
function comparable(text: string, namespace: string): string {
  return (
    text
      .replaceAll(namespace, "NAMESPACE")
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "UID")
      .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z| [+-]\d{4})/g, "TIME")
      .replaceAll(/(resourceVersion"?: )"\d+"/g, "$1VERSION")
      .replaceAll(/https?:\/\/127\.0\.0\.1:\d+/g, "SERVER")
      .replaceAll(/\/tmp\/(LIVE|MERGED)-\d+/g, "/tmp/$1")
      // Upstream shows what is refused as its program has it in memory, ours as JSON.
      .replaceAll(/Invalid value: \{.*\}: /g, "Invalid value: OBJECT: ")
      .replaceAll(/\b\d+(ms|s)\b/g, "AGE")
      .replaceAll(/[0-9T]\d{8,}/g, "NUMBER")
  );
}
