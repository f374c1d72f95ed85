/** Which StorageClass a Table calls the default: printers.go of 1.36 and 1.37. */
import { expect, test } from "vitest";
import { moreResources } from "../../../../cluster/apiserver/registry/more-resources.ts";
import type { ServedVersion } from "../../../../cluster/values/kubernetes-versions.ts";
import { Harness } from "../harness.ts";

const CLASSES = "/apis/storage.k8s.io/v1/storageclasses";
const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";
const DEFAULT = { "storageclass.kubernetes.io/is-default-class": "true" };

/** Classes a second apart, and two in the last. */
function withClasses(kubernetes: ServedVersion): Harness {
  const h = new Harness({ moreResources, kubernetes });
  const add = (name: string, annotations = {}): unknown =>
    h.post(CLASSES, { metadata: { name, annotations }, provisioner: "example.com/disks" });
  add("b-old", DEFAULT);
  h.clock.advance(1000);
  add("z-new", DEFAULT);
  add("a-new", DEFAULT);
  h.clock.advance(1000);
  add("plain");
  return h;
}

function names(h: Harness, path: string): string[] {
  const { rows } = h.get(path, TABLE).body as { rows: { cells: string[] }[] };
  return rows.map(({ cells }) => cells[0]!);
}

test("a list marks the newest default class alone, the first by name of two that are as new", () => {
  expect(names(withClasses("1.37"), CLASSES)).toEqual(["a-new (default)", "b-old", "plain", "z-new"]);
});

test("one class has no mark", () => {
  expect(names(withClasses("1.37"), `${CLASSES}/a-new`)).toEqual(["a-new"]);
});

test("before 1.37 every class that says so has the mark", () => {
  const h = withClasses("1.36");
  expect(names(h, CLASSES)).toEqual(["a-new (default)", "b-old (default)", "plain", "z-new (default)"]);
  expect(names(h, `${CLASSES}/b-old`)).toEqual(["b-old (default)"]);
});
