/**
 * What Kubernetes has fixed in Jobs and CronJobs since 1.36.0, each as the behaviour of before: an edit of Stint's
 * sources, and the vectors or tests that have to find it. A vector that the old behaviour passes proves nothing.
 */
import type { Edit } from "./planted.ts";

interface Plant {
  /** The pull request or the issue, and what went wrong. */
  readonly was: string;
  readonly edits: readonly Edit[];
}

/** Planted into the engine. */
export interface EnginePlant extends Plant {
  /** What the names of the vectors begin with that fail, in engine/regressions.json and admission/update.json. */
  readonly vectors: readonly string[];
}

/** Planted into a file of cluster/. */
export interface ClusterPlant extends Plant {
  readonly testFile: string;
  /** What the names of the tests begin with that fail in that file. */
  readonly tests: readonly string[];
}

export const ENGINE_PLANTS: readonly EnginePlant[] = [
  {
    was: "131917, 142247: a Job made again under its name waits for the pods that its namesake was creating",
    edits: [
      {
        file: "assembly/lifecycle/retire-job.ts",
        text: "  abandonSync(job);\n",
        before:
          "  if (job.sync !== null && job.sync!.outstanding > 0) expected = copyOf(job.name);\n  abandonSync(job);\n",
      },
      {
        file: "assembly/lifecycle/retire-job.ts",
        text: 'import { giveUpOrphans, releasePods } from "./orphans";\n',
        before:
          'import { giveUpOrphans, releasePods } from "./orphans";\n' +
          'import { copyOf } from "../memory/blob";\n' +
          "export let expected: usize = 0;\n",
      },
      {
        file: "assembly/sync/sync.ts",
        text: 'import { retireIfFinished } from "../lifecycle/retire-job";\n',
        before: 'import { expected, retireIfFinished } from "../lifecycle/retire-job";\n',
      },
      {
        file: "assembly/sync/sync.ts",
        text: "  if (waitsForPods(job)) return;\n",
        before: "  if (waitsForPods(job) || (expected != 0 && blobsEqual(expected, job.name))) return;\n",
      },
    ],
    vectors: ["kubernetes/kubernetes#131917"],
  },
  {
    was: "141329: a pod of a deleted Job keeps its finalizer for good if the first removal fails",
    edits: [
      {
        file: "assembly/steps/remove-orphan-finalizer.ts",
        text: "orphanFailed(orphan, answer.retryAfterMs)",
        before: "orphanDone(orphan)",
      },
      {
        file: "assembly/steps/remove-orphan-finalizer.ts",
        text: "nextOrphan, Orphan, orphanDone, orphanFailed }",
        before: "nextOrphan, Orphan, orphanDone }",
      },
    ],
    vectors: ["kubernetes/kubernetes#141329"],
  },
  {
    was: "142922: a ready pod is taken off status.ready though its deletion has failed",
    edits: [
      {
        file: "assembly/steps/delete-pod.ts",
        text: "      if (sync !== null) ++sync.deleteFailures;\n",
        before: "      if (pod.ready) --job.ready;\n      if (sync !== null) ++sync.deleteFailures;\n",
      },
    ],
    vectors: ["kubernetes/kubernetes#142922"],
  },
  {
    was: "142923: a refused creation counts as succeeded, too",
    edits: [
      {
        file: "assembly/steps/create-pod.ts",
        text: "  noteCreated(sync, true);\n",
        before: "  noteCreated(sync, true);\n  noteCreated(sync, false);\n",
      },
    ],
    vectors: ["kubernetes/kubernetes#142923"],
  },
  {
    was: "139428: status.active is 0 while a creation waits for its back-off",
    edits: [
      {
        file: "assembly/steps/write-status.ts",
        text: '  if (job.active != job.storedActive) count(begin, "active", job.active);\n',
        before:
          "  const active = sync.didAction == CREATED_PODS && sync.created == 0 ? 0 : job.active;\n" +
          '  if (active != job.storedActive) count(begin, "active", active);\n',
      },
      {
        file: "assembly/steps/write-status.ts",
        text: 'import { Sync } from "../model/sync";\n',
        before: 'import { Sync } from "../model/sync";\nimport { CREATED_PODS } from "../model/sync-metrics";\n',
      },
    ],
    vectors: ["kubernetes/kubernetes#139428"],
  },
  {
    was: "139287: the template of a suspended Job cannot change before the controller has marked the Job",
    edits: [
      {
        file: "assembly/admission/validate-update.ts",
        text: '  if (oldStatus.has("startTime") && !isMarked) return false;\n',
        before: "  if (!isMarked) return false;\n",
      },
    ],
    vectors: ["kubernetes/kubernetes#139287"],
  },
  {
    was: "the PodGroup of a gang owns its pods, too, and both wait for each other when the Job is deleted",
    edits: [
      {
        file: "assembly/model/pod-template.ts",
        text: `',"controller":true,"blockOwnerDeletion":true}],"finalizers":['`,
        before:
          `',"controller":true,"blockOwnerDeletion":true}' + (gangScheduling ? ` +
          `',{"apiVersion":"scheduling.k8s.io/v1beta1","kind":"PodGroup","name":"g","uid":"u"}' : "") + '],"finalizers":['`,
      },
      {
        file: "assembly/model/pod-template.ts",
        text: "import { finalizer }",
        before: "import { finalizer, gangScheduling }",
      },
    ],
    vectors: ["pods and their PodGroup that wait for each other"],
  },
];

const CRON_JOB_CONTROLLER = "cluster/controllers/cron-job-controller";
const CRON_JOB_TEST = "test/cluster/controllers/cron-job-controller/cron-job-controller.test.ts";

export const CLUSTER_PLANTS: readonly ClusterPlant[] = [
  {
    was: "133313: a CronJob owns every Job whose controller has its name",
    edits: [
      {
        file: `${CRON_JOB_CONTROLLER}/cron-job-controller.ts`,
        text: "[...(this.#jobsOf.get(cronJob.metadata.uid) ?? [])].toSorted().map((name) => this.#jobs.get(name)!)",
        before:
          "[...this.#jobs.values()].filter(({ metadata: { namespace, ownerReferences = [] } }) =>" +
          " ownerReferences.some(({ controller, name }) => controller && key === `${namespace}/${name}`))",
      },
    ],
    testFile: CRON_JOB_TEST,
    tests: ["what has ended kubernetes/kubernetes#133313"],
  },
  {
    was: "136920: a Job that exists already is looked for in the namespace of the template, which is empty",
    edits: [
      {
        file: `${CRON_JOB_CONTROLLER}/cron-job-pass.ts`,
        text: "this.#client.get(resourcePath(JOBS, this.#namespace, name), (result) => {\n      if (!result.ok) {",
        before: 'this.#client.get(resourcePath(JOBS, "", name), (result) => {\n      if (!result.ok) {',
      },
    ],
    testFile: CRON_JOB_TEST,
    tests: ["a Job is made kubernetes/kubernetes#136920"],
  },
];
