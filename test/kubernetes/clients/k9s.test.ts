/**
 * k9s against `stint serve`, driven through a terminal as a person would: it lists the Jobs, goes on to the pods of
 * one, shows their log and describes them, and lists CronJobs.
 */
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { startServe } from "../../host-node/serving.ts";
import { findOrBuild, whyUnavailable } from "../binaries/binaries.ts";
import { clientOf, environmentOf } from "./programs.ts";
import { Screen } from "./screen.ts";

const ROWS = 40;
const COLUMNS = 160;
/** Until something is on the screen; less than a test may take. */
const WAIT = { timeout: 60_000, interval: 50 };
const ESCAPE = "\x1b";
/** It asks no server of its makers which version is the newest. */
const SETTINGS = "k9s: {skipLatestRevCheck: true, ui: {splashless: true, headless: true}}\n";

it.skipIf(whyUnavailable() !== undefined)("k9s shows Jobs, their pods, logs and CronJobs", async () => {
  const k9s = await findOrBuild("k9s");
  const served = await startServe(["--runtime", "process", "--no-isolation"]);
  const client = clientOf(served);
  const settings = join(served.directory, "k9s");
  const log = join(settings, "k9s.log");
  mkdirSync(settings);
  writeFileSync(join(settings, "config.yaml"), SETTINGS);
  const command = `stty rows ${ROWS} columns ${COLUMNS}; exec ${k9s} --command jobs --logFile ${log}`;
  // `script` lends it a terminal.
  const child = spawn("script", ["--quiet", "--return", "--command", command, "/dev/null"], {
    env: { ...environmentOf(served), TERM: "xterm", SHELL: "/bin/sh", LANG: "C.UTF-8", K9S_CONFIG_DIR: settings },
    stdio: ["pipe", "pipe", "ignore"],
  });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const screen = new Screen(ROWS, COLUMNS);
  child.stdout.setEncoding("utf8").on("data", (text: string) => screen.write(text));
  const shows = (what: RegExp): Promise<void> => vi.waitFor(() => expect(screen.text()).toMatch(what), WAIT);
  const type = (keys: string): void => void child.stdin.write(keys);
  try {
    const container = { name: "main", image: "busybox", command: ["sh", "-c", "echo it speaks; exec sleep 1000"] };
    await client.succeed("POST", "/apis/batch/v1/namespaces/default/jobs", {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "talk" },
      spec: { template: { spec: { restartPolicy: "Never", containers: [container] } } },
    });
    await shows(/jobs\(default\)\[1\]/);
    await shows(/talk +0\/1/);
    type("\r");
    await shows(/pods\(default\/talk\)\[1\]/);
    await shows(/talk-\w{5} .*1\/1 +Running/);
    type("l");
    await shows(/Logs\(default\/talk-\w{5}:main\)/);
    await shows(/it speaks/);
    type(ESCAPE);
    await shows(/pods\(default\/talk\)\[1\]/);
    type("d");
    await shows(/Describe\(default\/talk-\w{5}\)/);
    await shows(/Controlled By: +Job\/talk/);
    type(ESCAPE);
    await shows(/pods\(default\/talk\)\[1\]/);
    type(":cronjobs\r");
    await shows(/cronjobs\(default\)\[0\]/);
    type(":quit\r");
    expect(await ended).toBe(0);
    expect(readFileSync(log, "utf8")).not.toMatch(/\bERR\b/);
  } finally {
    child.kill();
    client.close();
    await served.stop();
  }
});
