/**
 * A Job run whole on virtual time: engine, API server, scheduler, kubelet and simulated containers
 * (test/scale/whole-job.ts). What counts is that a pod costs the same however many there are. Leaves out real
 * containers and a real network.
 */
import { type WholeJob, runWholeJob } from "../scale/whole-job.ts";
import type { Bench, Contender } from "./measure.ts";

/** 20 s for 100,000 pods on one core. */
const AIM_MICROS_A_POD = 200;
const WARM_UP: WholeJob = { completions: 3_000, parallelism: 1_000 };

export function wholeJobBenches(isQuick: boolean): Bench[] {
  const [first, ...larger] = isQuick ? [1_000, 10_000] : [1_000, 10_000, 100_000];
  const largest = larger.at(-1)!;
  const unit = { kind: "long", per: "pod" } as const;
  return [
    {
      title: `a whole Job simulated, ${amount(first!)} pods, 1,000 at a time`,
      unit,
      async contenders() {
        await runWholeJob(WARM_UP);
        return [
          whole(first!, 1_000),
          ...larger.map((pods) => whole(pods, 1_000)),
          { name: "aim", amount: AIM_MICROS_A_POD },
        ];
      },
    },
    {
      title: `a whole Job simulated, ${amount(largest)} pods, all at once`,
      unit,
      contenders: () => [whole(largest, largest), { name: "aim", amount: AIM_MICROS_A_POD }],
    },
  ];
}

/** Microseconds a pod: the processor's time of this process, so that a busy machine changes it little. */
function whole(pods: number, parallelism: number): Contender {
  return {
    name: `${amount(pods)} pods`,
    async run() {
      const began = process.cpuUsage();
      await runWholeJob({ completions: pods, parallelism });
      const { user, system } = process.cpuUsage(began);
      return (user + system) / pods;
    },
  };
}

function amount(count: number): string {
  return count.toLocaleString("en-US");
}
