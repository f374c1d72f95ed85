/**
 * Two replicas of `stint controller`, and again and again kill -9 of the one that leads: the other takes over, no pod
 * is counted twice, and no completion gets a second pod.
 */
import type { Line } from "../../history/format.ts";
import { type ControlPlane, startControlPlane } from "../control-plane.ts";
import type { ApiClient } from "../api-client.ts";
import { type HistoryRecorder, recordHistory } from "../history-recorder.ts";
import { startKwok } from "../kwok.ts";
import { explanationOf, isLeading, type StintController, startStintController } from "../stint-controller.ts";
import { startUpstreamController } from "../upstream-controller.ts";
import { stagesWithFailures } from "./stages.ts";
import { runJob } from "./workload.ts";

const NAMESPACE = "kills";
const LEASE_NAME = "stint-kills";
/** Short, so that a hundred kills take minutes. */
const SHORT_LEASE_FLAGS = [
  "--lease-duration=3s",
  "--renew-deadline=2s",
  "--retry-period=300ms",
  "--request-timeout=2s",
  "--lease-namespace=default",
  `--lease-name=${LEASE_NAME}`,
];
const LEASE_PATH = `/apis/coordination.k8s.io/v1/namespaces/default/leases?fieldSelector=metadata.name%3D${LEASE_NAME}`;
const LEASE_MS = 3_000;
const TIMEOUT_MS = 120_000;
const LANES = 4;
const REPLICAS = 2;
/** As MAX_RECORDED_MINUTES of soak.ts: a kill takes some five seconds. */
export const MAX_RECORDED_KILLS = 700;
/** A leader lives for this long at most before it is killed: at another moment of its work each time. */
const MAX_LIFE_MS = 2_000;

export interface KillsOptions {
  readonly kills: number;
  readonly onProgress?: (line: string) => void;
}

export interface KillsReport {
  readonly kills: number;
  readonly jobs: number;
  readonly findings: readonly string[];
  /** From the kill to the Lease of the next leader. */
  readonly slowestHandoverMs: number;
  /**
   * What the API server has seen, for test/history/: each replica is a separate user. None of more than
   * {@link MAX_RECORDED_KILLS}.
   */
  readonly history: readonly Line[] | undefined;
}

/** @throws Error when a part cannot be started */
export async function killLeaders(options: KillsOptions): Promise<KillsReport> {
  const users = Array.from({ length: options.kills + REPLICAS }, (_none, at) => `stint-${at + 1}`);
  const controlPlane = await startControlPlane({
    ...(options.kills > MAX_RECORDED_KILLS ? {} : { audit: "objects" }),
    users: users.map((name) => ({ name, groups: ["system:masters"] })),
  });
  try {
    const recorder = options.kills > MAX_RECORDED_KILLS ? undefined : await recordHistory(controlPlane);
    await startKwok(controlPlane, { stages: await stagesWithFailures() });
    await startUpstreamController(controlPlane, { controllers: ["garbage-collector-controller"], clientQps: -1 });
    return await killLeadersOf(controlPlane, { ...options, recorder, users });
  } finally {
    await controlPlane.stop();
  }
}

interface Prepared extends KillsOptions {
  readonly recorder: HistoryRecorder | undefined;
  /** One for each process that is started. */
  readonly users: readonly string[];
}

async function killLeadersOf(
  controlPlane: ControlPlane,
  { kills, onProgress, recorder, users }: Prepared,
): Promise<KillsReport> {
  const client = controlPlane.client();
  await client.succeed("POST", "/api/v1/namespaces", { metadata: { name: NAMESPACE } });
  let started = 0;
  const start = (): Promise<StintController> =>
    startStintController(controlPlane, {
      user: users[started++]!,
      flags: ["--default-controller", "--pod-backoff-base=500ms", ...SHORT_LEASE_FLAGS],
    });
  let replicas = [await start(), await start()];
  const findings: string[] = [];
  let isOver = false;
  let jobs = 0;
  let ended = 0;
  const explain = async (name: string): Promise<string> => explanationOf(await leading(replicas), NAMESPACE, name);
  const lane = async (): Promise<void> => {
    while (!isOver) {
      findings.push(
        ...(await runJob({ client, namespace: NAMESPACE, number: jobs++, timeoutMs: TIMEOUT_MS, explain })),
      );
      ended++;
    }
  };
  const lanes = Promise.all(Array.from({ length: LANES }, lane));
  let slowestHandoverMs = 0;
  let leader = await leaderAfter(client, "");
  for (let kill = 1; kill <= kills; kill++) {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * MAX_LIFE_MS));
    const victim = await leading(replicas);
    process.kill(victim.pid, "SIGKILL");
    const beganMs = performance.now();
    replicas = [...replicas.filter((replica) => replica !== victim), await start()];
    leader = await leaderAfter(client, leader);
    slowestHandoverMs = Math.max(slowestHandoverMs, performance.now() - beganMs);
    onProgress?.(`kill ${kill} of ${kills}: ${ended} Jobs, ${findings.length} findings`);
  }
  isOver = true;
  await lanes;
  client.close();
  for (const replica of replicas) await replica.stop();
  const history = await recorder?.finish(users.map((user) => ({ user, program: "stint" })));
  return { kills, jobs: ended, findings, slowestHandoverMs: Math.round(slowestHandoverMs), history };
}

/** Waits until another holder than `previous` has the Lease. */
async function leaderAfter(client: ApiClient, previous: string): Promise<string> {
  const { spec } = await client.waitFor<{ spec: { holderIdentity?: string } }>(
    LEASE_PATH,
    ({ spec }) => (spec.holderIdentity ?? "") !== "" && spec.holderIdentity !== previous,
    LEASE_MS * 20,
  );
  return spec.holderIdentity!;
}

async function leading(replicas: readonly StintController[]): Promise<StintController> {
  for (;;) {
    for (const replica of replicas) {
      if (await isLeading(replica).catch(() => false)) return replica;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
