/** What an address opens, and what the page writes into one, driven without a browser. */
import { beforeEach, expect, test } from "vitest";
import { addressOf } from "../../../host-browser/app/address.ts";
import { Playground } from "../../../host-browser/app/playground.ts";
import { Memory } from "../../../host-browser/app/storage.ts";
import type { Command } from "../../../host-browser/messages.ts";
import { readAddress } from "../../../host-browser/share/address.ts";
import { progress, SCENARIO } from "./chunks.ts";

declare global {
  // The module also writes into the address bar, which the types of Node do not have. No test gets there.
  const history: { replaceState(data: null, unused: "", address: string): void };
  const location: { readonly pathname: string; readonly search: string };
}

const kept = new Map<string, string>();
const memory = new Memory(() => ({
  getItem: (key) => kept.get(key) ?? null,
  setItem: (key, value) => void kept.set(key, value),
  removeItem: (key) => void kept.delete(key),
}));
let sent: Command[];
const start = (): Playground => new Playground((command) => sent.push(command), memory, "");
beforeEach(() => {
  kept.clear();
  sent = [];
});
const shared = async (playground: Playground) =>
  readAddress((await addressOf(playground))!, () => Promise.resolve(undefined));

test("of a recording names no digest: who opens it makes a run, which the recording is not", async () => {
  const playground = start();
  playground.open(SCENARIO);
  playground.session.handle(progress(1, 700));
  expect(await shared(playground)).toMatchObject({ scenario: SCENARIO, digest: "ab" });
  playground.import("{}", "a.jsonl");
  playground.session.handle(progress(2, 700, { scenario: SCENARIO }));
  expect(await shared(playground)).toMatchObject({ scenario: SCENARIO, digest: "" });
});
