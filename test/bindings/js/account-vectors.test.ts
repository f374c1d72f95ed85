/** Plays the account vectors (test/vectors/account/README.md) on the built engine. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import {
  type Account,
  type AccountQuestion,
  type Attempt,
  EndCode,
  type Hold,
  HoldCode,
  type Remedy,
  EngineError,
  ErrorCode,
} from "../../../bindings/js/engine.ts";
import { newEngine } from "./vector-files.ts";
import { vectorsFolder } from "./verdict-corpus.ts";

interface AccountVector {
  readonly name: string;
  readonly nowMs: number;
  readonly input?: AccountQuestion;
  readonly text?: string;
  readonly expect?: Expected;
  readonly refused?: string;
}

/** What is looked at. Of each attempt, hold and remedy there are as many as there are here. */
interface Expected {
  readonly sentence?: string;
  readonly attempts?: readonly Partial<Attempt>[];
  readonly last?: number | null;
  readonly holds?: readonly Partial<Hold>[];
  readonly next?: Partial<Account["next"]>;
  readonly remedies?: readonly Partial<Remedy>[];
}

const folder = path.join(vectorsFolder, "account");
const files = readdirSync(folder).filter((file) => file.endsWith(".json"));
const casesOf = (file: string): readonly AccountVector[] =>
  (JSON.parse(readFileSync(path.join(folder, file), "utf8")) as { cases: AccountVector[] }).cases;
const all = files.flatMap((file) => casesOf(file));

const engine = await newEngine();

describe.each(files)("%s", (file) => {
  test.each(casesOf(file))("$name", ({ text, input, nowMs, expect: wanted, refused }) => {
    const ask = () => engine.account(text ?? input!, nowMs);
    if (refused !== undefined) {
      expect(ask).toThrow(EngineError);
      expect(ask).toThrow(refused);
      return;
    }
    const { attempts, ...account } = ask();
    for (const list of ["holds", "remedies"] as const)
      expect(account[list]).toHaveLength(wanted![list]?.length ?? account[list].length);
    expect(attempts).toHaveLength(wanted!.attempts?.length ?? attempts.length);
    expect({ attempts, ...account }).toMatchObject(wanted!);
    for (const { sentence, cause } of attempts) {
      expect(sentence).toMatch(/^pod \S.*[^ ]$/s);
      expect(sentence.endsWith(cause)).toBe(true);
    }
    expect(account.remedies.length).toBeLessThanOrEqual(2);
    for (const [i, { patch }] of (wanted!.remedies ?? []).entries())
      if (patch !== undefined) expect(account.remedies[i]!.patch).toEqual(patch);
    expect(account.verdict).toEqual(engine.verdict(input!, nowMs));
  });
});

test.each(all.filter(({ input, refused }) => input?.pods !== undefined && refused === undefined))(
  "what is not read of pods and Events changes nothing: $name",
  ({ input, nowMs }) => {
    const answer = engine.account(input!, nowMs);
    const more = { ...input!, pods: input!.pods!.map(padded), events: (input!.events ?? []).map(padded) };
    expect(engine.account(JSON.stringify(more), nowMs)).toEqual(answer);
    expect(engine.account(more, nowMs)).toEqual(answer);
  },
);

/** The object with members in front of others and behind them that no account is about. */
function padded(object: object): object {
  const { metadata, spec, ...rest } = object as { metadata?: object; spec?: object };
  const odd = { name: 1, "}": ["\\", '"]', { status: [[], {}] }], reason: null, "\u0000é": -1e3 };
  const managedFields = [{ manager: "kubelet", fieldsV1: { "f:status": odd } }];
  const volumes = [{ name: "config", configMap: odd }];
  return {
    firstTimestamp: odd,
    ...rest,
    ...(metadata && { metadata: { managedFields, ...metadata, labels: odd } }),
    ...(spec && { spec: { volumes, ...spec, affinity: odd } }),
    source: odd,
  };
}

test("there are at least 60 vectors, each with another name", () => {
  expect(all.length).toBeGreaterThanOrEqual(60);
  expect(all.map(({ name }) => name).filter((name, i, names) => names.indexOf(name) !== i)).toEqual([]);
});

test("every code of ABI.md has a vector", () => {
  const said = new Set(all.flatMap(({ expect: wanted }) => wanted?.attempts?.map(({ endedBy }) => endedBy) ?? []));
  expect(Object.values(EndCode).filter((code) => !said.has(code))).toEqual([]);
});

test("every code of a hold has a vector", () => {
  const said = new Set(all.flatMap(({ expect: wanted }) => wanted?.holds?.map(({ code }) => code) ?? []));
  expect(Object.values(HoldCode).filter((code) => !said.has(code))).toEqual([]);
});

test("account() changes nothing, and works before configure()", async () => {
  const fresh = await newEngine();
  const { input, nowMs } = all[0]!;
  const first = fresh.account(input!, nowMs);
  const sources = [
    { id: 0, resource: "jobs" },
    { id: 1, resource: "pods" },
  ] as const;
  fresh.configure({ instance: "v", sources: [...sources] });
  expect(fresh.account(input!, nowMs)).toEqual(first);
  expect(fresh.metrics()["jobs"]).toBe(0);
});

test("a time that is none is refused", () => {
  const { input } = all[0]!;
  expect(() => engine.account(input!, 0.5)).toThrow(expect.objectContaining({ code: ErrorCode.badJson }));
});
