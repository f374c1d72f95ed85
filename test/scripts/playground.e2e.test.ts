/** The command behind `npm run playground`: its help, its refusals, and that it serves until a signal ends it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import path from "node:path";
import { expect, test } from "vitest";

const script = path.resolve(import.meta.dirname, "../../scripts/playground.ts");

/** The page is built first, which takes a while where much else runs. */
const BUILD_TIMEOUT_MS = 120_000;

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** @param endOn is sent SIGTERM as soon as it has printed this */
async function run(args: readonly string[], endOn?: RegExp): Promise<Ended> {
  const child = spawn(process.execPath, [script, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    stdout += chunk;
    if (endOn?.test(stdout)) child.kill("SIGTERM");
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr };
}

test("--help says what it does", async () => {
  const { code, stdout } = await run(["--help"]);
  expect(code).toBe(0);
  expect(stdout).toContain("npm run playground [-- OPTIONS]");
});

test.each([
  [["--port", "70000"], "--port is 70000; allowed are 0 to 65535"],
  [["--port", "x"], "--port is x; allowed are 0 to 65535"],
  [["--prot", "1"], "Unknown option '--prot'"],
])("npm run playground refuses %s", async (args, message) => {
  const { code, stderr } = await run(args);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

test(
  "npm run playground prints its address, and ends with status 0 on a signal",
  { timeout: BUILD_TIMEOUT_MS },
  async () => {
    const { code, stderr } = await run([], /http:\/\/127\.0\.0\.1:\d+\//);
    expect(stderr).toBe("");
    expect(code).toBe(0);
  },
);

test("npm run playground says that the port is in use", { timeout: BUILD_TIMEOUT_MS }, async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  const { code, stderr } = await run(["--port", String(port)]);
  other.close();
  expect(code).toBe(2);
  expect(stderr).toContain(`port ${port} of 127.0.0.1 is in use`);
});
