/**
 * KubeObject is open: a misspelt field of it compiles. So only code that handles objects of kinds that it does not know
 * may name it; all other code reads the types of cluster/values/kinds.ts.
 */
import { expect, it } from "vitest";
import { files, importsOf } from "./sources.ts";

const OPEN: readonly (readonly [place: string, why: string])[] = [
  ["cluster/apiserver/access/reviews.ts", "answers reviews of five kinds alike"],
  ["cluster/apiserver/admission-plugins/", "reviews objects of all kinds"],
  ["cluster/apiserver/apply/", "owns fields of all kinds"],
  ["cluster/apiserver/contract/", "describes requests for any resource"],
  ["cluster/apiserver/custom-resources/", "handles kinds that users define"],
  ["cluster/apiserver/http/", "writes objects of all kinds"],
  ["cluster/apiserver/quota/", "counts objects of all kinds"],
  ["cluster/apiserver/schema/", "decodes objects of all kinds"],
  ["cluster/apiserver/server.ts", "serves objects of all kinds"],
  ["cluster/apiserver/storage/", "stores objects of all kinds"],
  ["cluster/apiserver/tables/table.ts", "prints objects of all kinds"],
  ["cluster/apiserver/verbs/", "handles requests for any resource"],
  ["cluster/bootstrap/", "registers kinds with the API server"],
  ["cluster/client/", "carries objects of all kinds; its callers name them"],
  ["cluster/index.ts", "exports it"],
  ["cluster/manifests/", "a manifest may lack what is served"],
  ["cluster/controllers/volume-controller/", "observes several kinds at once"],
  ["cluster/simulation/api.ts", "carries objects of all kinds; its callers name them"],
  ["host-node/control/", "carries objects of all kinds; its callers name them"],
  ["host-node/testing/", "gives the objects of a test cluster to the user's test"],
  ["host-node/incidents/", "applies and changes objects of all kinds, which may be wrong"],
  ["scripts/incident-scenarios.ts", "writes objects of all kinds as manifests"],
  ["host-node/shadow/", "compares what an engine would write, which is not served"],
  ["host-browser/history/", "stores objects of all kinds by their steps"],
  ["host-browser/share/", "reads recordings, which may hold anything"],
];
const SOURCES = /^(bindings\/js|cluster|host-browser|host-node|scripts)\/.*\.tsx?$/;

function isAllowed(file: string): boolean {
  return OPEN.some(([place]) => file.startsWith(place));
}

function takesOpen(file: string, source?: string): boolean {
  return importsOf(file, source).some(({ names }) => names.includes("KubeObject"));
}

it("a source takes objects of unknown kinds only where kinds are unknown", () => {
  const others = files.filter((file) => SOURCES.test(file) && !isAllowed(file) && takesOpen(file));
  expect(others, "read a kind of cluster/values/kinds.ts, or TypedObject if only metadata is read").toEqual([]);
});

it("the list has no place that takes none", () => {
  const taking = files.filter((file) => SOURCES.test(file) && takesOpen(file));
  const unused = OPEN.filter(([place]) => !taking.some((file) => file.startsWith(place)));
  expect(unused, "remove it: all of its objects have types").toEqual([]);
});

it("the rule catches a source that takes them", () => {
  const source = 'import type { Json, KubeObject } from "../values/types.ts";\n';
  expect(takesOpen("cluster/kubelet/new.ts", source)).toBe(true);
  expect(isAllowed("cluster/kubelet/new.ts")).toBe(false);
});
