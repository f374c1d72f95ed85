/** Tables of names, fields and ages. */
import { expect, test } from "vitest";
import { plainTable } from "../../../../cluster/apiserver/tables/plain-table.ts";
import type { KubeObject } from "../../../../cluster/index.ts";

test("a plain table has the texts of fields between name and age, and nothing where none is", () => {
  const { columns, cells } = plainTable({ Node: "spec.nodeName", Count: "spec.count", Off: "spec.off", None: "a.b.c" });
  expect(columns.map(({ name, format }) => [name, format])).toEqual([
    ["Name", "name"],
    ["Node", ""],
    ["Count", ""],
    ["Off", ""],
    ["None", ""],
    ["Age", ""],
  ]);
  const metadata = { name: "x", creationTimestamp: "2026-01-01T00:00:00Z" };
  const object = { metadata, spec: { nodeName: "n", count: 0, off: false } } as unknown as KubeObject;
  expect(cells(object, Date.UTC(2026, 0, 1, 0, 1))).toEqual(["x", "n", "0", "false", "", "60s"]);
});
