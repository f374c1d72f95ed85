/**
 * A month of virtual time in a test cluster with an hourly CronJob, and with none: what a test of a retention, of a
 * history limit or of a schedule costs. Compared with the same month moved on minute by minute, in which no heartbeat
 * is left out. Leaves out starting the cluster.
 */
import { createCore } from "../../host-node/testing/cluster-core.ts";
import { ClusterApi } from "../../host-node/control/cluster-api.ts";
import { ClusterControls } from "../../host-node/control/controls.ts";
import type { Bench, Contender } from "./measure.ts";

const DAYS = 30;
const QUICK_DAYS = 2;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const CRON_JOBS = "/apis/batch/v1/namespaces/default/cronjobs";
const JOBS = "/apis/batch/v1/namespaces/default/jobs";

type Way = "at once" | "minute by minute";

export function thirtyDaysBenches(isQuick: boolean): Bench[] {
  const days = isQuick ? QUICK_DAYS : DAYS;
  return [true, false].map((hasCronJob) => ({
    title: `${days} virtual days of ${hasCronJob ? "an hourly CronJob" : "nothing"} in a test cluster`,
    unit: { kind: "long", per: "day" },
    async contenders() {
      await measure(1, hasCronJob, "at once");
      const contender = (way: Way): Contender => ({ name: way, run: () => measure(days, hasCronJob, way) });
      return [contender("at once"), contender("minute by minute")];
    },
  }));
}

/** Microseconds a day: the processor's time of this process, so that a busy machine changes it little. */
async function measure(days: number, hasCronJob: boolean, way: Way): Promise<number> {
  const core = await createCore({ record: false });
  const controls = new ClusterControls(core.options);
  try {
    await controls.settle();
    const api = new ClusterApi(core.embedded.cluster);
    if (hasCronJob) await api.write("POST", CRON_JOBS, hourly());
    const began = process.cpuUsage();
    const stepMs = way === "at once" ? days * DAY_MS : MINUTE_MS;
    for (let passedMs = 0; passedMs < days * DAY_MS; passedMs += stepMs) await controls.advance(stepMs);
    const { user, system } = process.cpuUsage(began);
    const names = api.list(JOBS).map(({ metadata }) => metadata.name);
    if (names.length !== (hasCronJob ? 3 : 0)) throw new Error(`after ${days} days there are ${names.join(", ")}`);
    return (user + system) / days;
  } finally {
    core.stop();
  }
}

function hourly(): object {
  const containers = [{ name: "main", image: "busybox" }];
  const template = { spec: { restartPolicy: "Never", containers } };
  return { metadata: { name: "hourly" }, spec: { schedule: "0 * * * *", jobTemplate: { spec: { template } } } };
}
