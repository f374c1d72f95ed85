/** The runs that the budgets of the playground are about: many pods, some of which fail. */
import type { Scenario } from "../../../cluster/simulation/scenario.ts";

/** @param parallelism as many find room on the nodes */
export function largeScenario(completions: number, parallelism: number, runMs: readonly [number, number]): Scenario {
  return {
    yaml: `apiVersion: batch/v1
kind: Job
metadata:
  name: large
spec:
  completionMode: Indexed
  completions: ${completions}
  parallelism: ${parallelism}
  backoffLimitPerIndex: 3
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: main
          image: busybox:1.36
          command: ["sh", "-c", "./piece $JOB_COMPLETION_INDEX"]
`,
    seed: 1,
    nodes: [{ name: "node", count: 10, cpu: "64", memory: "256Gi", pods: Math.ceil(parallelism / 10) }],
    outcomes: [{ share: 0.01, outcome: { runMs, exitCode: 137, reason: "OOMKilled" } }, { outcome: { runMs } }],
    inputs: [],
  };
}
