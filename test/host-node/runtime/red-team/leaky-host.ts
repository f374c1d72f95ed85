/**
 * A program that was started with a descriptor open that it knows nothing of: runs a script in a separate shell, and
 * then in a container.
 */
import { spawnSync } from "node:child_process";
import { ProcessRuntime } from "../../../../host-node/runtime/process-runtime.ts";
import { bubblewrap } from "../bubblewrap-here.ts";
import { podOf, run } from "../running.ts";

const script = process.argv[2]!;
const runtime = new ProcessRuntime({ isolation: { bubblewrap }, network: false, workingDirectory: "/" });
console.log(`== a shell of the caller's\n${spawnSync("sh", ["-c", script], { encoding: "utf8" }).stdout}`);
const { stdout } = await run(runtime, podOf(["sh", "-c", script]));
console.log(`== a container\n${stdout}`);
runtime.close();
