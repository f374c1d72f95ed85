/** What `stint why` reads from Kueue about a Job that waits in a queue. */
import { expect, test } from "vitest";
import type { ApiResponse } from "../../../../bindings/js/host.ts";
import type { Job } from "../../../../cluster/values/kinds.ts";
import { readWorkload } from "../../../../host-node/cli/why/workload.ts";

const WORKLOADS = "/apis/kueue.x-k8s.io/v1beta2/namespaces/ml/workloads?labelSelector=kueue.x-k8s.io%2Fjob-uid%3Du1";
const OLDER_WORKLOADS = WORKLOADS.replace("v1beta2", "v1beta1");
const PENDING = "/apis/visibility.kueue.x-k8s.io/v1beta2/namespaces/ml/localqueues/team-a/pendingworkloads";
const workload = { metadata: { name: "job-train" } };
const place = { metadata: { name: "job-train" }, positionInLocalQueue: 2, positionInClusterQueue: 6 };
const other = { metadata: { name: "job-other" }, positionInLocalQueue: 0, positionInClusterQueue: 0 };

const queued = {
  metadata: { name: "train", namespace: "ml", uid: "u1", labels: { "kueue.x-k8s.io/queue-name": "team-a" } },
  spec: { suspend: true },
} as unknown as Job;

interface Server {
  /** The items of a list, by path. What is not there is answered 404. */
  readonly lists: Readonly<Record<string, readonly unknown[]>>;
  readonly forbidden?: readonly string[];
}

function server({ lists, forbidden = [] }: Server): { get(path: string): Promise<ApiResponse>; asked: string[] } {
  const asked: string[] = [];
  const answer = (status: number, body: object): ApiResponse => ({ status, headers: {}, body: JSON.stringify(body) });
  const get = async (path: string): Promise<ApiResponse> => {
    asked.push(path);
    if (forbidden.includes(path)) return answer(403, { kind: "Status", code: 403, message: "workloads is forbidden" });
    const items = lists[path];
    return items === undefined ? answer(404, { kind: "Status", code: 404 }) : answer(200, { items });
  };
  return { get, asked };
}

test("the Workload of the Job, and its places in the queues", async () => {
  const { get } = server({ lists: { [WORKLOADS]: [workload], [PENDING]: [other, place] } });
  expect(await readWorkload({ get }, queued)).toEqual({ workload, pending: place });
});

test("an older Kueue, without the visibility API", async () => {
  const { get, asked } = server({ lists: { [OLDER_WORKLOADS]: [workload] } });
  expect(await readWorkload({ get }, queued)).toEqual({ workload });
  expect(asked.toSorted()).toEqual(
    [WORKLOADS, OLDER_WORKLOADS, PENDING, PENDING.replace("v1beta2", "v1beta1")].toSorted(),
  );
});

test("the Workload of another Job has no place for this one, and an entry without numbers has none", async () => {
  for (const pending of [[other], [{ ...place, positionInLocalQueue: "2" }], [null, 7]]) {
    const { get } = server({ lists: { [WORKLOADS]: [workload], [PENDING]: pending } });
    expect(await readWorkload({ get }, queued)).toEqual({ workload });
  }
});

test("a Workload that may not be read is named, and a place that may not be read is left out", async () => {
  const both = server({ lists: {}, forbidden: [WORKLOADS, PENDING] });
  expect(await readWorkload(both, queued)).toEqual({
    refusal: expect.stringContaining("the Workload of Kueue could not be read"),
  });
  const one = server({ lists: { [WORKLOADS]: [workload] }, forbidden: [PENDING] });
  expect(await readWorkload(one, queued)).toEqual({ workload });
});

test("nothing is asked for a Job that runs, or that no queue has", async () => {
  const { get, asked } = server({ lists: {} });
  const running = { ...queued, spec: { suspend: false } } as unknown as Job;
  const unlabelled = { ...queued, metadata: { ...queued.metadata, labels: {} } } as unknown as Job;
  expect([await readWorkload({ get }, running), await readWorkload({ get }, unlabelled)]).toEqual([{}, {}]);
  expect(asked).toEqual([]);
});
