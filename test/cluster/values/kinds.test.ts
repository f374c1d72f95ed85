/** What the types of the kinds allow and refuse. `tsc` does the checks; at run time nothing is left of the types. */
import { expect, expectTypeOf, it } from "vitest";
import type { Container, Event, Job, Node, Pod, Service } from "../../../cluster/values/kinds.ts";
import type { KubeObject, TypedObject } from "../../../cluster/values/types.ts";

// tsc checks this file: a line under @ts-expect-error that compiles is an error.
const pod: Pod = {
  kind: "Pod",
  metadata: { name: "a", uid: "1", resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z" },
  spec: { containers: [{ name: "main", image: "busybox", resources: {} }] },
  status: {},
};

it("the compiler refuses a misspelt field", () => {
  // @ts-expect-error
  expect(pod.sepc).toBeUndefined();
  // @ts-expect-error
  expect(pod["sepc"]).toBeUndefined();
  // @ts-expect-error
  expect(pod.spec.container).toBeUndefined();
  // @ts-expect-error
  expect(pod.metadata.label).toBeUndefined();
  // @ts-expect-error
  expect(pod.status.containerStatuses?.[0]?.restarts).toBeUndefined();
});

it("the compiler takes an object of one kind for no object of another", () => {
  // @ts-expect-error
  const job: Job = pod;
  expect(job).toBe(pod);
});

it("the compiler takes an object of each kind for an object of any kind", () => {
  const object: KubeObject = pod;
  expect(object).toBe(pod);
  expectTypeOf<Node>().toExtend<TypedObject>();
});

it("the table of kinds has the types that are served", () => {
  expectTypeOf<Pod["metadata"]["name"]>().toEqualTypeOf<string>();
  expectTypeOf<NonNullable<Service["spec"]["ports"]>[number]["targetPort"]>().toEqualTypeOf<number | string>();
  expectTypeOf<Container["resources"]["limits"]>().toEqualTypeOf<Record<string, string> | undefined>();
  expectTypeOf<Job["status"]["completionTime"]>().toEqualTypeOf<string | undefined>();
  // What is not set is written as null.
  expectTypeOf<Event["eventTime"]>().toEqualTypeOf<string | null>();
  // What a template has is not yet an object.
  expectTypeOf<Job["spec"]["template"]["metadata"]["name"]>().toEqualTypeOf<string | undefined>();
});
