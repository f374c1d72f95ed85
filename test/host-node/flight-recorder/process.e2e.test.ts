/** `stint controller --record` as a process that is killed, and then looked at with `stint replay`. */
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { segmentsAmong } from "../../../cluster/observed/segment-format.ts";
import { buildModule } from "../../../scripts/build-engine.ts";
import { runStint, type Served, spawnStint, startServe } from "../serving.ts";

const POLL_INTERVAL_MS = 20;

let served: Served;
beforeAll(async () => {
  await buildModule("engine");
  served = await startServe(["--no-controller"]);
}, 60_000);
afterAll(() => served?.stop());

const segmentsIn = (folder: string): string[] =>
  existsSync(folder) ? segmentsAmong(readdirSync(folder)).map((name) => join(folder, name)) : [];

test("one controller at a time has the folder; after SIGKILL it can be read, and the next one continues", async () => {
  const { directory, kubeconfig } = served;
  const flags = ["--kubeconfig", kubeconfig, "--default-controller", "true", "--listen", "off", "--record", "flight"];
  const controller = spawnStint(["controller", ...flags], directory);
  const folder = join(directory, "flight");
  const recorded = (): string => segmentsIn(folder).reduce((all, file) => all + readFileSync(file), "");
  while (recorded().split('"list":"end"').length < 3)
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  const second = await runStint(["controller", ...flags], directory);
  expect(second.exit).toBe(2);
  expect(second.err).toContain(
    `${folder} is in use by another stint controller (process ${controller.pid} on ${hostname()}); end that one, or name`,
  );
  controller.kill("SIGKILL");
  await once(controller, "close");
  const { exit, out } = await runStint(["replay", "--explain", "flight"], directory);
  expect(exit).toBe(0);
  expect(out).toMatch(/^\S+Z {2}an engine runs\nflight: 1 segment, .*; it ends in the middle: the process was killed/);
  const next = spawnStint(["controller", ...flags], directory);
  while (segmentsIn(folder).length === 1) await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  next.kill("SIGKILL");
  await once(next, "close");
}, 60_000);

test("after SIGTERM the recording says that it is complete", async () => {
  const { directory, kubeconfig } = served;
  const flags = ["--kubeconfig", kubeconfig, "--leader-elect", "false", "--listen", "off", "--record", "ended"];
  const controller = spawnStint(["controller", ...flags], directory);
  const folder = join(directory, "ended");
  while (segmentsIn(folder).length === 0) await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  controller.kill("SIGTERM");
  expect(await once(controller, "close")).toEqual([0, null]);
  const [file = ""] = segmentsIn(folder);
  expect(readFileSync(file, "utf8").trimEnd().split("\n").at(-1)).toMatch(/"end":"ended"}$/);
}, 60_000);

test("a folder that cannot be made, and a size that is too small, are refused before anything is connected", async () => {
  const { directory } = served;
  const asked = async (...flags: string[]): Promise<string> => {
    const { exit, err } = await runStint(["controller", "--kubeconfig", served.kubeconfig, ...flags], directory);
    expect(exit).toBe(2);
    return err;
  };
  expect(await asked("--record", "stint.kubeconfig/flight")).toMatch(
    /^stint: cannot make the folder .*: its parent is/,
  );
  expect(await asked("--record", "fl", "--record-size", "1MiB")).toBe(
    'stint: --record-size is "1MiB"; allowed is a size such as 64MiB, in KiB, MiB or GiB, from 32MiB to 64GiB\n',
  );
}, 60_000);
