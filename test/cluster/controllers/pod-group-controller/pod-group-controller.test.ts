/** A PodGroup that is being deleted stays while pods use it. */
import { beforeEach, expect, test } from "vitest";
import { builtInPlugins } from "../../../../cluster/apiserver/admission-plugins/built-in.ts";
import { chain } from "../../../../cluster/apiserver/admission-plugins/chain.ts";
import { podGroupController } from "../../../../cluster/controllers/pod-group-controller/pod-group-controller.ts";
import { Harness } from "../../component-harness.ts";

const GROUPS = "/apis/scheduling.k8s.io/v1beta1/namespaces/default/podgroups";
const FINALIZER = "scheduling.k8s.io/podgroup-protection";
const SECOND_MS = 1000;

let h: Harness;
beforeEach(() => {
  h = new Harness({ gangScheduling: true, plugins: chain(builtInPlugins) });
  h.api("POST", "/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
  const { clock, random, transport } = h;
  podGroupController({ clock, random, transport }).start();
  h.clock.advance(SECOND_MS);
});

function createGroup(name: string, finalizers: string[] = []): void {
  h.api("POST", GROUPS, { metadata: { name, finalizers }, spec: { schedulingPolicy: { basic: {} } } });
}

function deleteGroup(name: string): void {
  h.api("DELETE", `${GROUPS}/${name}`);
  h.clock.advance(SECOND_MS);
}

const groups = (): string[] => h.api("GET", GROUPS).items.map(({ metadata }: any) => metadata.name);

function endPod(name: string): void {
  const path = `/api/v1/namespaces/default/pods/${name}/status`;
  h.api("PATCH", path, { status: { phase: "Succeeded" } }, "application/merge-patch+json");
  h.clock.advance(SECOND_MS);
}

test("one that no pod uses goes at once", () => {
  createGroup("g");
  expect(h.api("GET", `${GROUPS}/g`).metadata.finalizers).toEqual([FINALIZER]);
  deleteGroup("g");
  expect(groups()).toEqual([]);
});

test("one that is not being deleted keeps its finalizer", () => {
  createGroup("g");
  h.clock.advance(SECOND_MS);
  expect(h.api("GET", `${GROUPS}/g`).metadata.finalizers).toEqual([FINALIZER]);
});

test("one goes when the last of its pods has ended or is gone", () => {
  createGroup("g");
  for (const name of ["p", "q", "r"]) h.createPod(name, { schedulingGroup: { podGroupName: "g" } });
  h.createPod("other", { schedulingGroup: { podGroupName: "h" } });
  deleteGroup("g");
  expect(groups()).toEqual(["g"]);
  endPod("p");
  h.api("DELETE", "/api/v1/namespaces/default/pods/q?gracePeriodSeconds=0");
  h.clock.advance(SECOND_MS);
  expect(groups()).toEqual(["g"]);
  endPod("r");
  expect(groups()).toEqual([]);
});

test("finalizers of others stay", () => {
  createGroup("g", ["example.com/kept"]);
  deleteGroup("g");
  expect(h.api("GET", `${GROUPS}/g`).metadata.finalizers).toEqual(["example.com/kept"]);
});

test("a refused update is tried again", () => {
  createGroup("g");
  let refusals = 1;
  h.fault = ({ method }) =>
    method === "PUT" && refusals-- > 0
      ? { status: 409, headers: {}, body: '{"kind":"Status","code":409,"reason":"Conflict","message":"changed"}' }
      : undefined;
  deleteGroup("g");
  expect(groups()).toEqual([]);
});
