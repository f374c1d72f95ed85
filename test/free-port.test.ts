/** A port that one process has chosen is no other's, also before its server is bound. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { freePort } from "./free-port.ts";

const FREE_PORT = new URL("free-port.ts", import.meta.url).href;

it("a port that was chosen before is not chosen again, although nothing listens on it", async () => {
  const chosen = await freePort();
  const another = await freePort();
  const candidates = [chosen, chosen, another, 0];
  expect(another).not.toBe(chosen);
  await expect(freePort(async () => candidates.shift()!)).resolves.not.toBe(chosen);
  expect(candidates).toEqual([]);
});

it("a port that another process has chosen is not chosen, until that process ends", async () => {
  const chosen = await freePort();
  const script = `
    import { freePort } from ${JSON.stringify(FREE_PORT)};
    const candidates = [${chosen}, 0];
    await freePort(async () => candidates.shift());
    process.stdout.write(String(2 - candidates.length));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script]);
  expect(stdout).toBe("2");
});
