/** A disk that is nearly full: what is refused, and what continues. */
import { expect, test } from "vitest";
import { chain } from "../../../cluster/apiserver/admission-plugins/chain.ts";
import { refuseWhenLow, RESERVE_BYTES } from "../../../host-node/data/low-space.ts";
import { Harness } from "../../cluster/apiserver/harness.ts";

const MAPS = "/api/v1/namespaces/default/configmaps";

test("when little is left, nothing is stored, but objects are read and deleted; later all continues", () => {
  let free = RESERVE_BYTES;
  const harness = new Harness({ plugins: chain([refuseWhenLow("/data", () => free)]) });
  expect(harness.post(MAPS, { metadata: { name: "a" } }).status).toBe(201);
  free--;
  const refusal = harness.post(MAPS, { metadata: { name: "b" } });
  expect(refusal.status).toBe(507);
  expect(refusal.headers["retry-after"]).toBeUndefined();
  expect(refusal.body).toMatchObject({
    status: "Failure",
    reason: "InsufficientStorage",
    message:
      "the disk of /data has 33554431 bytes left, and nothing more is stored below 33554432; make room there, or delete objects",
  });
  expect(harness.merge(`${MAPS}/a`, { data: { x: "y" } }).status).toBe(507);
  expect(harness.get(MAPS).body.items).toHaveLength(1);
  expect(harness.delete(`${MAPS}/a`).status).toBe(200);
  free++;
  expect(harness.post(MAPS, { metadata: { name: "b" } }).status).toBe(201);
});
