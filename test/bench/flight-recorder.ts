/**
 * What a flight recording of 1,000 pods takes on disk: `node_modules/.bin/node test/bench/flight-recorder.ts`.
 *
 * A Job of 5,000 pods of one container, 100 at once, on the in-memory cluster; each pod is created, bound, runs, ends,
 * and is let go of. Sizes do not depend on the machine.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { segmentsAmong } from "../../cluster/observed/segment-format.ts";
import { job, JOBS } from "../host-node/controlled-cluster.ts";
import { startRecorded } from "../host-node/flight-recorder/recorded-controller.ts";

const PODS = 5_000;
const MIB = 1024 ** 2;

const folder = mkdtempSync(join(tmpdir(), "stint-flight-"));
const controller = await startRecorded({ folder, maxBytes: 64 * MIB });
controller.create(
  JOBS,
  job("many", { completions: PODS, parallelism: 100, completionMode: "Indexed" }, { runMs: 5_000 }),
);
for (let i = 0; i < 60; i++) await controller.advance(10_000);
await controller.close();
const paths = segmentsAmong(readdirSync(folder)).map((name) => join(folder, name));
const compressed = paths.filter((path) => path.endsWith(".gz"));
const onDisk = compressed.reduce((sum, path) => sum + statSync(path).size, 0);
const unpacked = compressed.reduce((sum, path) => sum + gunzipSync(readFileSync(path)).length, 0);
const written = unpacked + statSync(paths.find((path) => !path.endsWith(".gz"))!).size;
console.log(`lost calls: ${controller.recorder.lost}`);
console.log(`written: ${(((written / PODS) * 1000) / MIB).toFixed(1)} MiB for 1,000 pods`);
console.log(`compressed to: ${((onDisk / unpacked) * 100).toFixed(1)} %`);
console.log(`on disk: ${(((written / PODS) * 1000 * (onDisk / unpacked)) / MIB).toFixed(2)} MiB for 1,000 pods`);
rmSync(folder, { recursive: true });
