/** The table of rules is complete, and its fields are fields of Jobs. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { RULES } from "../../../host-browser/history/rules.ts";

const DECISIONS = readFileSync(new URL("../../../assembly/trace/decisions.ts", import.meta.url), "utf8");
const API = readFileSync(new URL("../../../docs/spec/api.md", import.meta.url), "utf8");

test("each decision and each explanation of the engine has a rule, and there is none of anything else", () => {
  const codes = [...DECISIONS.matchAll(/= (?:decision|jobState)\("(\w+)"/g)].map(([, code]) => code!);
  expect(codes.length).toBeGreaterThan(40);
  expect(Object.keys(RULES).toSorted()).toEqual(codes.toSorted());
});

test("the fields are ones that the API has", () => {
  const names = Object.values(RULES).flatMap(({ fields }) => fields.map((path) => path.split(".").at(-1)!));
  for (const name of new Set(names)) expect(API, name).toContain(name);
});
