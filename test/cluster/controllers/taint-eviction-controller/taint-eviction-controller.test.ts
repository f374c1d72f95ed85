/** Pods on nodes with NoExecute taints (test/kubernetes/disturbed-pods.test.ts compares with upstream's controller). */
import { beforeEach, expect, test } from "vitest";
import { taintEvictionController } from "../../../../cluster/controllers/taint-eviction-controller/taint-eviction-controller.ts";
import { failure, Harness } from "../../component-harness.ts";

const MERGE = "application/merge-patch+json";
const TOLERATION = { key: "sick", operator: "Exists", effect: "NoExecute" };
const SICK = { key: "sick", effect: "NoExecute" };

let h: Harness;
beforeEach(() => {
  h = new Harness();
  const { clock, random, transport } = h;
  taintEvictionController({ clock, random, transport }).start();
  h.api("POST", "/api/v1/nodes", { metadata: { name: "n1" } });
  h.clock.advance(100);
});

const create = (name: string, tolerations: object[] = []): any =>
  h.createPod(name, { tolerations }, { finalizers: ["example.com/seen"] });
function taint(...taints: object[]): void {
  h.api("PATCH", "/api/v1/nodes/n1", { spec: { taints } }, MERGE);
  h.clock.advance(100);
}
const isDeleted = (name: string): boolean => h.pod(name).metadata.deletionTimestamp !== undefined;

test("a pod without a toleration is marked as disrupted, and deleted", () => {
  create("p");
  taint(SICK);
  expect(isDeleted("p")).toBe(true);
  expect(h.pod("p").status.conditions).toMatchObject([
    {
      type: "DisruptionTarget",
      status: "True",
      reason: "DeletionByTaintManager",
      message: "Taint manager: deleting due to NoExecute taint",
    },
  ]);
  expect(h.events("p")).toEqual(["Normal TaintManagerEviction: Marking for deletion Pod default/p"]);
});

test("a taint of another effect, and one that is tolerated, let pods be", () => {
  create("plain");
  create("stoic", [TOLERATION]);
  taint({ key: "sick", effect: "NoSchedule" });
  expect(isDeleted("plain")).toBe(false);
  taint(SICK);
  expect([isDeleted("plain"), isDeleted("stoic")]).toEqual([true, false]);
});

test("a pod that tolerates it for a time goes after that, counted from the beginning", () => {
  create("p", [{ ...TOLERATION, tolerationSeconds: 10 }]);
  taint(SICK);
  h.clock.advance(5_000);
  h.api("PATCH", "/api/v1/namespaces/default/pods/p", { metadata: { labels: { a: "b" } } }, MERGE);
  h.clock.advance(4_500);
  expect(isDeleted("p")).toBe(false);
  h.clock.advance(500);
  expect(isDeleted("p")).toBe(true);
});

test("a pod stays when the taint goes in time", () => {
  create("p", [{ ...TOLERATION, tolerationSeconds: 10 }]);
  taint(SICK);
  h.clock.advance(5_000);
  taint();
  h.clock.advance(60_000);
  expect(isDeleted("p")).toBe(false);
  expect(h.events("p")).toEqual(["Normal TaintManagerEviction: Cancelling deletion of Pod default/p"]);
});

test("a pod that comes to a tainted node goes, also when the server fails at first", () => {
  taint(SICK);
  h.fault = ({ method, path }) => (method === "PATCH" && path.endsWith("/status") ? failure(500, "x") : undefined);
  create("p");
  h.clock.advance(100);
  expect(isDeleted("p")).toBe(false);
  h.fault = () => undefined;
  h.clock.advance(20_000);
  expect(isDeleted("p")).toBe(true);
});
