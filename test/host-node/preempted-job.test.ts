/**
 * A Job whose pod is preempted, from the pod that needs its room to the Job's end: engine, API server, scheduler,
 * preemption and kubelet together.
 */
import { afterEach, expect, it } from "vitest";
import { buildModule } from "../../scripts/build-engine.ts";
import { VirtualCluster } from "./virtual-cluster.ts";

await buildModule("engine");

/** As much as the node has. */
const ALL = "10k";
const POLICY = "podFailurePolicy: { rules: [{ action: Ignore, onPodConditions: [{ type: DisruptionTarget }] }] }";

const job = (name: string, cpu: string, jobSpec: string, podSpec: string): string => `
apiVersion: batch/v1
kind: Job
metadata: { name: ${name} }
spec:
  backoffLimit: 0
  ${jobSpec}
  template:
    metadata: { annotations: { stint.dev/simulate: '{"runMs": 20000}' } }
    spec:
      restartPolicy: Never
      ${podSpec}
      containers: [{ name: c, image: b, resources: { requests: { cpu: "${cpu}" } } }]
`;
const URGENT = `
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: { name: urgent }
value: 100
`;

let cluster: VirtualCluster;
afterEach(() => cluster.stop());

/** The batch Job's status, after an urgent one has taken its room. */
async function statusWith(policy: string): Promise<any> {
  cluster = await VirtualCluster.start({ servesClients: true });
  cluster.create(`${URGENT}---${job("batch", ALL, policy, "")}`);
  cluster.runUntil(() => false, 5_000);
  cluster.create(job("first", "1", "", "priorityClassName: urgent"));
  const statusOf = (name: string): any => cluster.api("GET", `/apis/batch/v1/namespaces/default/jobs/${name}`).status;
  const hasEnded = (name: string): boolean =>
    (statusOf(name).conditions ?? []).some(({ type }: { type: string }) => type === "Complete" || type === "Failed");
  expect(cluster.runUntil(() => hasEnded("first") && hasEnded("batch"), 300_000)).toBe(true);
  expect(statusOf("first")).toMatchObject({ succeeded: 1 });
  return statusOf("batch");
}

it("a preempted Job counts no failure when its policy ignores disruptions", async () => {
  const status = await statusWith(POLICY);
  expect(status).toMatchObject({ succeeded: 1 });
  expect(status.failed).toBeUndefined();
});

it("a preempted Job fails without a policy and without retries", async () => {
  const status = await statusWith("");
  expect(status).toMatchObject({ failed: 1 });
  expect(status.conditions.at(-1)).toMatchObject({ type: "Failed", reason: "BackoffLimitExceeded" });
});
