/** Frames of an engine's output, however they are cut on their way. */
import { expect, test } from "vitest";
import { OutputFrames } from "../../../../host-node/runtime/container-engine/output-frames.ts";

function frame(stream: number, text: string): Buffer {
  const header = Buffer.from([stream, 0, 0, 0, 0, 0, 0, 0]);
  header.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([header, Buffer.from(text)]);
}

test("every size of pieces gives the same streams", () => {
  const bytes = Buffer.concat([frame(1, "one\n"), frame(2, "problem"), frame(1, ""), frame(1, "zwölf\n")]);
  for (let size = 1; size <= bytes.length; size++) {
    const heard = { stdout: "", stderr: "" };
    const parts: Record<"stdout" | "stderr", Buffer[]> = { stdout: [], stderr: [] };
    const frames = new OutputFrames((stream, chunk) => parts[stream].push(chunk));
    for (let at = 0; at < bytes.length; at += size) frames.push(bytes.subarray(at, at + size));
    for (const stream of ["stdout", "stderr"] as const) heard[stream] = Buffer.concat(parts[stream]).toString();
    expect(heard).toEqual({ stdout: "one\nzwölf\n", stderr: "problem" });
  }
});
