/** Writes of a sharded controller: into its own namespaces, and nowhere else. */
import { describe, expect, it } from "vitest";
import type { ApiRequest, ApiResponse, Method, Transport } from "../../../bindings/js/host.ts";
import { VirtualClock } from "../../../cluster/time/clock.ts";
import { isInShard } from "../../../host-node/controller/shard.ts";
import { ShardFence } from "../../../host-node/controller/shard-fence.ts";

const SHARD = { index: 0, count: 2 };
const NAMES = ["a", "b", "default", "kube-system", "team", "web"];
const OWN = NAMES.find((name) => isInShard(SHARD, name))!;
const FOREIGN = NAMES.find((name) => !isInShard(SHARD, name))!;

function fence(shard = SHARD): {
  send: (method: Method, path: string) => number | undefined;
  sent: string[];
  foreign: string[];
} {
  const clock = new VirtualClock(0);
  const sent: string[] = [];
  const foreign: string[] = [];
  const transport = {
    send: ({ method, path }: ApiRequest, done: (response: ApiResponse) => void) => {
      sent.push(`${method} ${path}`);
      done({ status: 200, headers: {}, body: "" });
    },
  } as unknown as Transport;
  const fence = new ShardFence({ transport, clock, shard, onForeign: ({ path }) => foreign.push(path) });
  const send = (method: Method, path: string): number | undefined => {
    let status: number | undefined;
    fence.send({ method, path, headers: {} }, (response) => (status = response.status));
    clock.advance(0);
    return status;
  };
  return { send, sent, foreign };
}

const pathsIn = (namespace: string): string[] => [
  `/api/v1/namespaces/${namespace}/pods`,
  `/api/v1/namespaces/${namespace}/pods/p?fieldManager=x`,
  `/apis/batch/v1/namespaces/${namespace}/jobs/j/status`,
  `/apis/scheduling.k8s.io/v1beta1/namespaces/${namespace}/podgroups`,
];

describe("a write", () => {
  it("to the shard passes", () => {
    const { send, sent, foreign } = fence();
    for (const path of pathsIn(OWN)) expect(send("PATCH", path)).toBe(200);
    expect(sent).toHaveLength(4);
    expect(foreign).toEqual([]);
  });

  it("to another shard is never sent, and reported once", () => {
    const { send, sent, foreign } = fence();
    for (const method of ["POST", "PUT", "PATCH", "DELETE"] as const)
      for (const path of pathsIn(FOREIGN)) expect(send(method, path)).toBe(0);
    expect(sent).toEqual([]);
    expect(foreign).toEqual([pathsIn(FOREIGN)[0]]);
  });

  it("to no namespace is never sent", () => {
    for (const index of [0, 1]) {
      const { send, sent } = fence({ index, count: 2 });
      expect(send("POST", "/api/v1/namespaces")).toBe(0);
      expect(sent).toEqual([]);
    }
  });
});

it("a read always passes", () => {
  const { send, sent, foreign } = fence();
  expect(send("GET", `/api/v1/namespaces/${FOREIGN}/pods`)).toBe(200);
  expect(sent).toHaveLength(1);
  expect(foreign).toEqual([]);
});
