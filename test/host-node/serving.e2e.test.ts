/** A test that is killed leaves no `stint serve` behind. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";

const SERVING = new URL("serving.ts", import.meta.url).href;
/** Stands for a test: it starts a server and says where. */
const PROGRAM = `
  import { startServe } from ${JSON.stringify(SERVING)};
  const { port, process: { pid } } = await startServe(["--api-only"]);
  console.log(JSON.stringify({ port, pid }));
`;

it("a server of tests ends with the process that has started it, even when that is killed", async () => {
  const starter = spawn(process.execPath, ["--input-type=module", "--eval", PROGRAM], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(createInterface(starter.stdout), "line");
  const { port, pid } = JSON.parse(line) as { port: number; pid: number };
  try {
    const connection = connect(port, "127.0.0.1");
    await once(connection, "connect");
    starter.kill("SIGKILL");
    // Resolves when the server has closed its side, or is gone.
    await once(connection.on("error", () => {}).resume(), "close");
    await expect(once(connect(port, "127.0.0.1"), "connect")).rejects.toThrow("ECONNREFUSED");
  } finally {
    starter.kill("SIGKILL");
    endIfThere(pid);
  }
});

/** Where the test fails, the server is still there. */
function endIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}
