/**
 * A program that starts a container with the process runtime, tells where its files are, and then waits to be killed.
 * Its arguments: options of the runtime, a number that its processes have in their arguments, and further fields of the
 * container, if any.
 */
import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ProcessRuntime } from "../../../host-node/runtime/process-runtime.ts";
import { createPod, podOf, start } from "./running.ts";

const before = new Set(readdirSync(tmpdir()));
const runtime = new ProcessRuntime({ ...JSON.parse(process.argv[2]!), network: false, workingDirectory: "/" });
const directory = readdirSync(tmpdir()).find((name) => name.startsWith("stint-") && !before.has(name))!;
const marker = process.argv[3]!;
// In separate sessions: one without the output, the other without the environment.
const daemons = `setsid sleep ${marker} >/dev/null 2>&1 & setsid env -i sleep ${marker} &`;
const script = `trap '' TERM HUP; sleep ${marker} & timeout 3600 sleep ${marker} & ${daemons} echo ready; wait`;
const pod = podOf(["sh", "-c", script], JSON.parse(process.argv[4] ?? "{}"));
await createPod(runtime, pod);
await start(runtime, pod).outputHas("ready");
console.log(join(tmpdir(), directory));
setInterval(() => {}, 1000);
