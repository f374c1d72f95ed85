/** A run that was shared is compared with what this page makes of it, and no other run is. */
import { beforeEach, expect, test } from "vitest";
import { compareOnce } from "../../../host-browser/app/address.ts";
import { Playground } from "../../../host-browser/app/playground.ts";
import { Memory } from "../../../host-browser/app/storage.ts";
import { progress, SCENARIO } from "./chunks.ts";

const shared = { scenario: { ...SCENARIO, seed: 7 }, atMs: 0, panel: "status", engineVersion: "1", digest: "cd" };
let playground: Playground;

beforeEach(() => {
  playground = new Playground(() => {}, new Memory(() => undefined), "");
  playground.session.handle({ kind: "ready", engineVersion: "1" });
  playground.open(shared.scenario, 0);
  compareOnce(playground, shared);
});

test("the run of an address that ends otherwise says so", () => {
  playground.session.handle(progress(1, 500, { mode: "loading" }));
  expect(playground.trouble.value).toBe("");
  playground.session.handle(progress(1, 1000));
  expect(playground.trouble.value).not.toBe("");
});

test("a run that was asked for before that one had ended is not compared with it", () => {
  playground.session.handle(progress(1, 500, { mode: "loading" }));
  playground.open(SCENARIO, 0);
  playground.session.handle(progress(2, 1000));
  expect(playground.trouble.value).toBe("");
});
