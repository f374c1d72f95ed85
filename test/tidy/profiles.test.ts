/** The maker of a cluster names its row of cluster/profiles.ts, and the compiler compares the two. */
import { describe, expect, test } from "vitest";
import type { BareClusterOptions } from "../../cluster/bare-cluster.ts";
import { type PartsOf, PROFILES } from "../../cluster/profiles.ts";
import { files, read } from "./sources.ts";

const SOURCES = /^(cluster|host-node|host-browser|bindings\/js)\/.*\.tsx?$/;

/** The rows that a source names, and what makes a cluster without one. */
function makersIn(file: string, source = read(file)): { readonly rows: string[]; readonly without: string[] } {
  const rows: string[] = [];
  const without: string[] = [];
  const isSubclass = /\bextends BareCluster\b/.test(source);
  for (const { index, 0: begin } of source.matchAll(/\bnew (?:Bare)?Cluster\(|\bsuper\(/g)) {
    if (begin === "super(" && !isSubclass) continue;
    const end = source.indexOf(");", index);
    const row = /satisfies PartsOf<"(\w+)">$/.exec(source.slice(index, end))?.[1];
    if (row === undefined) without.push(`${file}: ${begin}`);
    else rows.push(row);
  }
  return { rows, without };
}

describe("each cluster of the sources", () => {
  const makers = files.filter((file) => SOURCES.test(file)).map((file) => makersIn(file));

  test("is made with its row", () => {
    expect(makers.flatMap(({ without }) => without)).toEqual([]);
  });

  test("has a row, and each row a cluster", () => {
    expect(makers.flatMap(({ rows }) => rows).toSorted()).toEqual(Object.keys(PROFILES).toSorted());
  });

  test("is found without a row, too", () => {
    const source =
      'const a = new BareCluster({ clock });\nconst b = new Cluster({ clock } satisfies PartsOf<"lint">);\n';
    expect(makersIn("a.ts", source)).toEqual({ rows: ["lint"], without: ["a.ts: new BareCluster("] });
    expect(makersIn("a.ts", "class A extends B { constructor() { super(); } }").without).toEqual([]);
  });
});

describe("a row", () => {
  test("names no part twice", () => {
    for (const { has, may } of Object.values(PROFILES)) {
      const parts = [...has, ...may];
      expect(new Set(parts).size).toBe(parts.length);
    }
  });

  /** Checked by the compiler: an expected error that is none is an error. */
  test("is what the compiler takes", () => {
    const basis = {} as Pick<BareClusterOptions, "clock" | "random" | "admission">;
    const quotas = {} as NonNullable<BareClusterOptions["quotas"]>;
    const exact: PartsOf<"check"> = { ...basis, quotas };
    // @ts-expect-error A part of the row is missing.
    const fewer: PartsOf<"check"> = { ...basis };
    // @ts-expect-error The part may be missing in another row, and not here.
    const absent: PartsOf<"check"> = { ...basis, quotas: undefined };
    // @ts-expect-error The row has no such part.
    const more: PartsOf<"check"> = { ...basis, quotas, moreResources: [] };
    const may: PartsOf<"simulation"> = { ...basis, limits: {}, quotas: undefined };
    expect([exact, fewer, absent, more, may]).toHaveLength(5);
  });
});
