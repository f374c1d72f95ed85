/** What `stint version` says, and that `-v` and `--version` are the same. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { main } from "../../../host-node/cli/program.ts";
import { SERVED_KUBERNETES } from "../../../cluster/values/kubernetes-versions.ts";
import { buildModule } from "../../../scripts/build-engine.ts";
import { RecordingConsole } from "./recording-console.ts";

const document = readFileSync(resolve(import.meta.dirname, "../../../bindings/ABI.md"), "utf8");
const ABI = /^ABI version: \*\*(.*)\*\*$/m.exec(document)![1]!;
beforeAll(() => buildModule("engine"));

async function said(...words: readonly string[]): Promise<string> {
  const console = new RecordingConsole("/");
  expect(await main(words, "1.2.3", console), console.err).toBe(0);
  return console.out;
}

it("names the versions of the command, of the ABI, of Kubernetes and of Node", async () => {
  const text = await said("version");
  expect(text).toMatch(/^stint +1\.2\.3\nengine ABI +[\d.]+\nKubernetes +1\.37 .*\nNode +\d+\.\d+\.\d+\n$/);
  expect(text).toContain(`engine ABI  ${ABI}\n`);
  expect(await said("-v")).toBe(text);
  expect(await said("--version")).toBe(text);
});

it("says the same as JSON", async () => {
  const text = await said("--version", "-o", "json");
  expect(await said("version", "--output", "json")).toBe(text);
  expect(JSON.parse(text)).toMatchObject({
    kind: "VersionReport",
    stint: "1.2.3",
    engineAbi: ABI,
    engineSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    kubernetes: SERVED_KUBERNETES,
    kubernetesServed: expect.arrayContaining([SERVED_KUBERNETES]),
    node: process.versions.node,
  });
});
