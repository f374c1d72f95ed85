/** The ServiceAccount `default` of each namespace. */
import { beforeEach, expect, test } from "vitest";
import { serviceAccountController } from "../../../../cluster/controllers/service-account-controller/service-account-controller.ts";
import { failure, Harness } from "../../component-harness.ts";

const accountsOf = (namespace: string): string => `/api/v1/namespaces/${namespace}/serviceaccounts`;
const names = (namespace: string): string[] =>
  h.api("GET", accountsOf(namespace)).items.map(({ metadata }: any) => metadata.name);

let h: Harness;
let problems: number;
beforeEach(() => {
  h = new Harness();
  problems = 0;
  const { clock, random, transport } = h;
  serviceAccountController({ clock, random, transport, onProblem: () => void problems++ }).start();
  h.clock.advance(100);
});

test("namespaces that are there have one, and a new one gets one", () => {
  h.api("POST", "/api/v1/namespaces", { metadata: { name: "later" } });
  h.clock.advance(100);
  expect(["default", "kube-system", "later"].map(names)).toEqual([["default"], ["default"], ["default"]]);
});

test("a default ServiceAccount that is deleted is created again", () => {
  const { uid } = h.api("GET", `${accountsOf("default")}/default`).metadata;
  h.api("DELETE", `${accountsOf("default")}/default`);
  h.clock.advance(100);
  expect(h.api("GET", `${accountsOf("default")}/default`).metadata.uid).not.toBe(uid);
});

test("a namespace that is being deleted gets none", () => {
  h.api("POST", "/api/v1/namespaces", { metadata: { name: "ending" } });
  h.clock.advance(100);
  h.api("DELETE", "/api/v1/namespaces/ending");
  h.api("DELETE", `${accountsOf("ending")}/default`);
  h.clock.advance(100);
  expect(names("ending")).toEqual([]);
});

test("a server that fails is asked again", () => {
  h.fault = ({ method }) => (method === "POST" ? failure(500, "InternalError") : undefined);
  h.api("POST", "/api/v1/namespaces", { metadata: { name: "later" } });
  h.clock.advance(10);
  expect([names("later"), problems > 0]).toEqual([[], true]);
  h.fault = () => undefined;
  h.clock.advance(60_000);
  expect(names("later")).toEqual(["default"]);
});
