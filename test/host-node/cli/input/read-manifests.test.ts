/** Manifests of files, and of texts that a caller has. What commands make of files: lint/input.test.ts. */
import { afterAll, expect, it } from "vitest";
import { readManifests } from "../../../../host-node/cli/input/read-manifests.ts";
import { CommandFolder } from "../command-folder.ts";

const folder = new CommandFolder();
afterAll(() => folder.remove());

const job = (name: string): string => `apiVersion: batch/v1\nkind: Job\nmetadata: {name: ${name}}\n`;
const namesIn = (sources: Parameters<typeof readManifests>[0]): (string | undefined)[] =>
  readManifests(sources, false).manifests.map(({ object }) => object.metadata?.name);

it("reads files, and of texts opens no file, whatever they are called", () => {
  const file = folder.file("job.yaml", job("of-the-file"));
  expect(namesIn([file])).toEqual(["of-the-file"]);
  expect(namesIn([{ file, text: job("of-the-text") }])).toEqual(["of-the-text"]);
  expect(namesIn([{ file: "/no/such/file", text: `${job("a")}---\n${job("b")}` }])).toEqual(["a", "b"]);
});

it("wants at least one source", () => {
  expect(() => readManifests([], false)).toThrow("no file is named");
});
