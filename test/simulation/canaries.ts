/**
 * Bugs of the kinds that a Job controller must not have, and the invariant that has to find each: an invariant that no
 * canary trips proves nothing. A bug may break more than one rule, and is then found by whichever is broken first.
 */
import { ErrorCode } from "../../bindings/js/engine.ts";
import type { ApiRequest, ApiResponse } from "../../bindings/js/host.ts";
import type { JsonObject, KubeObject } from "../../cluster/values/types.ts";
import type { ControllerProcess, Plant } from "./controller-process.ts";
import {
  FAILURES_ANNOTATION,
  INDEX_ANNOTATION,
  isActive,
  isFinished,
  isTrue,
  type JobFacts,
  REVISION_ANNOTATION,
} from "./facts.ts";
import { textOf } from "./faulty-transport.ts";
import type { InvariantName } from "./invariants/check.ts";
import {
  afterwards,
  bodyOf,
  isAdoption,
  isCreation,
  isEvent,
  isGangCreation,
  isGangPatch,
  isRead,
  isStatusPatch,
  isStrip,
  rewritingPods,
  rewritingStatus,
  rewritingWatch,
  sending,
  stripOf,
} from "./plants.ts";
import { versionOfList } from "./view.ts";

/** Of all Jobs, or all pods. */
const LIST = /\/(jobs|pods)\?limit=/;

/** What an API server answers when it refuses. */
const REFUSAL = JSON.stringify({
  kind: "Status",
  apiVersion: "v1",
  status: "Failure",
  message: "refused by a planted bug",
});

export interface Canary {
  readonly bug: string;
  /** What the bug is planted to break. */
  readonly breaks: InvariantName;
  /** What may be broken before that. */
  readonly orElse?: readonly InvariantName[];
  readonly plant: Plant;
  /** Of a run that the bug breaks, where the first seeds do not; another change may make it break other runs. */
  readonly seed?: number;
}

export const CANARIES: readonly Canary[] = [
  {
    bug: "status writes that hold uncounted pods are dropped, and taken for done",
    breaks: "a finalizer goes only after its pod is counted",
    plant: sending((request, done, send) => {
      const isDropped = isStatusPatch(request) && bodyOf(request).includes('"uncountedTerminatedPods":{"');
      send(
        isDropped ? { method: "GET", path: request.path.replace(/\/status$/, ""), headers: request.headers } : request,
        done,
      );
    }),
  },
  {
    bug: "the finalizer of a pod is removed as soon as the pod is there",
    breaks: "a finalizer goes only after its pod is counted",
    plant: afterwards(isCreation, (request, pod, send, process) =>
      send(stripOf(`${request.path}/${pod.metadata.name}`, request, process), () => {}),
    ),
  },
  {
    bug: "finalizers are not removed, and the answer says that they are",
    breaks: "counted after its finalizer is off",
    plant: sending((request, done, send) =>
      send(isStrip(request) ? { method: "GET", path: request.path, headers: request.headers } : request, done),
    ),
  },
  {
    bug: "explanations say that the controller is about to look at a Job that waits for its pods",
    seed: 5,
    breaks: "explanations come true",
    plant: {
      explanation: (explanation) =>
        explanation.code === "WaitingForPods" && explanation.nextMs === null
          ? { ...explanation, code: "Queued" }
          : explanation,
    },
  },
  {
    bug: "explanations name a time at which the engine does not wake",
    breaks: "explanations come true",
    plant: {
      explanation: (explanation) =>
        explanation.nextMs === null ? { ...explanation, nextMs: Date.UTC(2100, 0) } : explanation,
    },
  },
  {
    bug: "explanations name a time that has passed",
    breaks: "explanations come true",
    plant: {
      explanation: (explanation) => (explanation.nextMs === null ? { ...explanation, nextMs: 1 } : explanation),
    },
  },
  {
    bug: "failed pods are counted twice",
    breaks: "counted once",
    plant: rewritingStatus((status) =>
      typeof status["failed"] === "number" ? { ...status, failed: status["failed"] + 1 } : status,
    ),
  },
  {
    bug: "running pods are counted as succeeded",
    breaks: "counted as what it is",
    orElse: ["counted once"],
    plant: rewritingStatus((status, { view }, jobUid) => {
      const running = view.podsOf(jobUid).find(isActive);
      return running === undefined || view.jobs.get(jobUid)?.isIndexed
        ? status
        : { ...status, uncountedTerminatedPods: { succeeded: [running.uid] } };
    }),
  },
  {
    bug: "completed indexes are forgotten",
    breaks: "counters never go back",
    orElse: ["statuses are as the API demands", "a finalizer goes only after its pod is counted"],
    plant: rewritingStatus((status) =>
      typeof status["completedIndexes"] === "string"
        ? { ...status, completedIndexes: lastIndexOf(status["completedIndexes"]), succeeded: 1 }
        : status,
    ),
  },
  {
    bug: "succeeded is one more than there are completed indexes",
    breaks: "succeeded is the number of completed indexes",
    plant: rewritingStatus((status) =>
      typeof status["completedIndexes"] === "string" && typeof status["succeeded"] === "number"
        ? { ...status, succeeded: status["succeeded"] + 1 }
        : status,
    ),
  },
  {
    bug: "completed indexes are written one by one",
    breaks: "intervals are canonical",
    plant: rewritingStatus((status) =>
      typeof status["completedIndexes"] === "string"
        ? { ...status, completedIndexes: oneByOne(status["completedIndexes"]) }
        : status,
    ),
  },
  {
    bug: "indexes are counted from 100 on",
    breaks: "indexes are in range",
    plant: rewritingPods((pod) => withIndex(pod, (index) => index + 100)),
  },
  {
    bug: "every index is started as index 0",
    breaks: "no index is started without cause",
    plant: rewritingPods((pod) => withIndex(pod, () => 0)),
  },
  {
    bug: "every pod is created twice",
    breaks: "no more pods than wanted",
    orElse: ["no index is started without cause"],
    plant: sending((request, done, send) => {
      send(request, done);
      if (isCreation(request)) send(request, () => {});
    }),
  },
  {
    bug: "a lost answer to a creation is taken for a refusal",
    breaks: "nothing is created while pods are unclear",
    plant: sending((request, done, send) =>
      send(request, (answer) =>
        done(isCreation(request) && answer.status === 0 ? { ...answer, status: 500, body: REFUSAL } : answer),
      ),
    ),
  },
  {
    bug: "an index fails for good with its first pod",
    breaks: "failed indexes have a cause",
    orElse: ["statuses are as the API demands"],
    plant: rewritingStatus((status, { view }, jobUid) => {
      const job = view.jobs.get(jobUid);
      const isFirst =
        job?.backoffLimitPerIndex !== undefined &&
        job.completions! > 0 &&
        job.failedText === "" &&
        job.completedText === "" &&
        status["completedIndexes"] === undefined;
      return isFirst ? { ...status, failedIndexes: "0" } : status;
    }),
  },
  {
    bug: "one more pod is created when a Job is finished",
    breaks: "pods are created for live Jobs",
    plant: rememberingCreation(isFinished),
  },
  {
    bug: "one more pod is created when a Job is suspended",
    seed: 5,
    breaks: "suspended Jobs create nothing",
    orElse: ["pods are created for live Jobs"],
    plant: rememberingCreation((job) => isTrue(job, "Suspended")),
  },
  {
    bug: "one more pod is created when the end of a Job is decided",
    breaks: "Jobs at their end create nothing",
    plant: rememberingCreation((job) => isTrue(job, "FailureTarget") && !isFinished(job)),
  },
  {
    bug: "a pod that fails is replaced at once",
    breaks: "back-off is kept",
    orElse: [
      "no index is started without cause",
      "no more pods than wanted",
      "suspended Jobs create nothing",
      "Jobs at their end create nothing",
      "pods are created for live Jobs",
    ],
    plant: rememberingCreation(
      (_job, { uncountedTerminatedPods = {} }) => uncountedTerminatedPods.failed !== undefined,
    ),
  },
  {
    bug: "the failures of an index are forgotten",
    seed: 6,
    breaks: "failure counts are handed on",
    plant: rewritingPods((pod) => withAnnotation(pod, FAILURES_ANNOTATION, () => "0")),
  },
  {
    bug: "pods are made from the first template for ever",
    breaks: "pods are as the template of now says",
    plant: rewritingPods((pod) => withAnnotation(pod, REVISION_ANNOTATION, () => "0")),
  },
  {
    bug: "every new pod is deleted",
    breaks: "pods are deleted for a reason",
    plant: afterwards(isCreation, (request, pod, send) =>
      send({ method: "DELETE", path: `${request.path}/${pod.metadata.name}`, headers: request.headers }, () => {}),
    ),
  },
  {
    bug: "a Job is finished while its pods run",
    breaks: "a terminal condition comes last",
    plant: rewritingStatus((status, { view }, jobUid) => {
      const condition = {
        type: "Failed",
        status: "True",
        reason: "BackoffLimitExceeded",
        lastTransitionTime: "2026-01-01T00:00:00Z",
      };
      return view.podsOf(jobUid).some(isActive) ? { ...status, conditions: [condition] } : status;
    }),
  },
  {
    bug: "every failure is called a deadline",
    breaks: "the end has a cause",
    plant: rewritingStatus(
      (status) =>
        JSON.parse(JSON.stringify(status).replaceAll("BackoffLimitExceeded", "DeadlineExceeded")) as JsonObject,
    ),
  },
  {
    bug: "the status of a finished Job is written once more",
    breaks: "finished Jobs are left alone",
    plant: afterwards(isStatusPatch, (request, job, send) => {
      if (isFinished(factsOf(job))) send(request, () => {});
    }),
  },
  {
    bug: "the status of Jobs of another controller is written",
    seed: 11,
    breaks: "others' Jobs are left alone",
    plant: afterwards(isStatusPatch, (request, _job, send, { view }) => {
      const foreign = [...view.jobs.values()].find((job) => job.isForeign && !isTrue(job, "FailureTarget"));
      if (foreign === undefined) return;
      const path = `/apis/batch/v1/namespaces/${foreign.namespace}/jobs/${foreign.name}/status`;
      send(
        {
          ...request,
          path,
          body: JSON.stringify({ metadata: { uid: foreign.uid }, status: { active: foreign.active + 1 } }),
        },
        () => {},
      );
    }),
  },
  {
    bug: "another controller's finalizer is removed",
    breaks: "others' pods are left alone",
    plant: sending((request, done, send, { role }) =>
      send(
        isStrip(request)
          ? { ...request, body: bodyOf(request).replace(role.finalizer, role.othersFinalizer) }
          : request,
        done,
      ),
    ),
  },
  {
    bug: "a pod is adopted once more",
    breaks: "claims have a cause",
    plant: afterwards(isAdoption, (request, _pod, send) => send(request, () => {})),
  },
  {
    bug: "every adoption is sent twice",
    breaks: "one claim of a pod at a time",
    plant: sending((request, done, send) => {
      send(request, done);
      if (isAdoption(request)) send(request, () => {});
    }),
  },
  {
    bug: "something else than the Job is read before it adopts",
    breaks: "a Job is read before it adopts",
    plant: sending((request, done, send) =>
      send(isRead(request) ? { ...request, path: `${request.path}?pretty=false` } : request, done),
    ),
  },
  {
    bug: "a sync does not wait for the answer to an adoption",
    breaks: "nothing follows a failed claim",
    orElse: ["no index is started without cause"],
    plant: sending((request, done, send) => {
      if (!isAdoption(request)) return send(request, done);
      send(request, () => {});
      send({ method: "GET", path: request.path, headers: request.headers }, (answer) =>
        done({ ...answer, status: 404, body: REFUSAL }),
      );
    }),
  },
  {
    bug: "adoptions are refused, and their pods taken for gone",
    breaks: "nothing follows a failed claim",
    plant: sending((request, done, send) => {
      if (!isAdoption(request)) return send(request, done);
      const outdated = bodyOf(request).replace(/"resourceVersion":"\d+"/, '"resourceVersion":"1"');
      send({ ...request, body: outdated }, (answer) =>
        done(answer.status >= 400 ? { ...answer, status: 404, body: REFUSAL } : answer),
      );
    }),
  },
  {
    bug: "pods are not adopted, for they are said to be gone",
    breaks: "pods are claimed in the end",
    plant: sending((request, done, send) =>
      isAdoption(request)
        ? send({ method: "GET", path: request.path, headers: request.headers }, (answer) =>
            done({ ...answer, status: 404 }),
          )
        : send(request, done),
    ),
  },
  {
    bug: "PodGroups are not created, and the answer says that they are",
    seed: 15,
    breaks: "gangs come before their pods",
    orElse: ["pods are of their gang"],
    plant: sending((request, done, send) => {
      if (!isGangCreation(request) || !request.path.endsWith("/podgroups")) return send(request, done);
      send({ method: "GET", path: request.path, headers: request.headers }, (answer) =>
        done(answer.status === 200 ? { ...answer, status: 201, body: asStored(request) } : answer),
      );
    }),
  },
  {
    bug: "pods do not name their PodGroup",
    seed: 15,
    breaks: "pods are of their gang",
    plant: rewritingPods((pod) => ({ ...pod, spec: { ...pod["spec"], schedulingGroup: undefined } })),
  },
  {
    bug: "every Workload is created twice",
    seed: 31,
    breaks: "a Job has one gang",
    plant: afterwards(isGangCreation, (request, _object, send) => {
      const object = JSON.parse(bodyOf(request)) as KubeObject;
      send(
        {
          ...request,
          body: JSON.stringify({ ...object, metadata: { ...object.metadata, name: `${object.metadata.name}-2` } }),
        },
        () => {},
      );
    }),
  },
  {
    bug: "gangs keep their size, and the answer is what was stored before",
    seed: 127,
    breaks: "gangs are as large as their Jobs ask for",
    plant: sending((request, done, send) =>
      isGangPatch(request)
        ? send({ method: "GET", path: request.path, headers: request.headers }, done)
        : send(request, done),
    ),
  },
  {
    bug: "gangs get one pod more than their Jobs ask for",
    breaks: "gangs are as large as their Jobs ask for",
    plant: sending((request, done, send) =>
      send(
        isGangPatch(request)
          ? {
              ...request,
              body: bodyOf(request).replace(/"minCount":(\d+)/, (_, size: string) => `"minCount":${Number(size) + 1}`),
            }
          : request,
        done,
      ),
    ),
  },
  {
    bug: "syncs are counted from 0 to 3, over and over",
    breaks: "metrics never go down",
    orElse: ["metrics count what was stored"],
    plant: rewritingCounters((value, name) => (name.endsWith("_syncs_total") ? value % 4 : value)),
  },
  {
    bug: "finished Jobs are counted twice",
    breaks: "metrics count what was stored",
    plant: rewritingCounters((value, name) => (name === "job_controller_jobs_finished_total" ? 2 * value : value)),
  },
  {
    bug: "how long Indexed Jobs took is forgotten",
    breaks: "metrics time what they count",
    plant: {
      metrics: (metrics) => ({
        ...metrics,
        families: metrics.families.map((family) =>
          family.name !== "stint_job_duration_seconds"
            ? family
            : { ...family, samples: family.samples.filter(({ labels }) => labels[0] !== "Indexed") },
        ),
      }),
    },
  },
  {
    bug: "finished Jobs are removed at once",
    breaks: "finished Jobs are removed in their time",
    plant: afterwards(isStatusPatch, (request, job, send) => {
      if (!isFinished(factsOf(job))) return;
      const options = { preconditions: { uid: job.metadata.uid }, propagationPolicy: "Foreground" };
      send(
        {
          method: "DELETE",
          path: request.path.replace(/\/status$/, ""),
          headers: { "content-type": "application/json" },
          body: JSON.stringify(options),
        },
        () => {},
      );
    }),
  },
  {
    bug: "a suspended Job keeps its start time",
    seed: 5,
    breaks: "the Suspended condition follows the spec",
    plant: rewritingStatus((status) => (status["startTime"] === null ? withoutStartTime(status) : status)),
  },
  {
    bug: "statuses that the API server refuses are written",
    breaks: "statuses are as the API demands",
    plant: rewritingStatus((status) => ({ ...status, ready: 1000 })),
  },
  {
    bug: "pods that the API server refuses are created",
    breaks: "no request is refused",
    plant: rewritingPods((pod) => ({ ...pod, spec: { ...pod["spec"], restartPolicy: "Sometimes" } })),
  },
  {
    bug: "a pod that never was is deleted",
    breaks: "requests make sense",
    plant: afterwards(isCreation, (request, _pod, send) =>
      send({ method: "DELETE", path: `${request.path}/absent`, headers: request.headers }, () => {}),
    ),
  },
  {
    bug: "every finalizer is removed five times",
    breaks: "requests stay in proportion",
    plant: sending((request, done, send) => {
      send(request, done);
      if (isStrip(request)) for (let more = 0; more < 4; more++) send(request, () => {});
    }),
  },
  {
    bug: "the next wake-up is always now",
    breaks: "no busy loop",
    plant: {
      engine: (engine) => ({
        ...engine,
        poll: (nowMs, maxRequests) => ({ ...engine.poll(nowMs, maxRequests), nextWakeUpMs: nowMs }),
      }),
    },
  },
  {
    bug: "an answer is settled twice",
    breaks: "the engine lives",
    plant: {
      engine: (engine) => ({
        ...engine,
        settle: (...outcome) => {
          engine.settle(...outcome);
          return engine.settle(...outcome);
        },
      }),
    },
  },
  {
    bug: "the watch garbles times",
    breaks: "every object can be read",
    plant: rewritingWatch("/api/v1/pods", (text) =>
      text.replaceAll('"creationTimestamp":"2', '"creationTimestamp":"x'),
    ),
  },
  {
    bug: "answers to creations are never settled",
    breaks: "everything comes to its end",
    orElse: ["pods are claimed in the end"],
    plant: {
      engine: (engine) => ({
        ...engine,
        settle: (...outcome) => (outcome[1] === 201 ? ErrorCode.ok : engine.settle(...outcome)),
      }),
    },
  },
  {
    bug: "an event that was taken is sent again",
    breaks: "an Event is written once at a time",
    plant: afterwards(isEvent, (request, _event, send) => send(request, () => {})),
  },
  {
    bug: "the count of an event goes up while the event itself is under way",
    breaks: "an Event is written once at a time",
    plant: sending((request, done, send) => {
      send(request, done);
      if (isEvent(request)) send(countOf(request), () => {});
    }),
  },
  {
    bug: "a document that is no page is taken for the end of the list",
    breaks: "no more pods than wanted",
    orElse: [
      "a terminal condition comes last",
      "no index is started without cause",
      "counted after its finalizer is off",
      "Jobs at their end create nothing",
      "a finalizer goes only after its pod is counted",
      "counted once",
      "pods are claimed in the end",
      "suspended Jobs create nothing",
    ],
    plant: takingAnythingForTheEnd(),
  },
  {
    bug: "the error page of a proxy is taken for a refusal",
    seed: 23,
    breaks: "nothing is created while pods are unclear",
    orElse: ["nothing is decided while pods are unclear"],
    plant: sending((request, done, send) =>
      send(request, (answer) =>
        done(
          isCreation(request) && answer.status > 500 && !textOf(answer.body).includes('"Status"')
            ? refusedBy(answer)
            : answer,
        ),
      ),
    ),
  },
  {
    bug: "a Job completes while a pod that it may have created is not looked for",
    seed: 4,
    breaks: "nothing is decided while pods are unclear",
    plant: forgettingUnclearPods(),
  },
  {
    bug: "a pod that another client has put into one uncounted list is put into the other as well",
    breaks: "statuses are as the API demands",
    plant: rewritingStatus((status, { view }, jobUid) => {
      const listed = view.jobs.get(jobUid)?.uncountedSucceeded ?? [];
      const lists = status["uncountedTerminatedPods"] as { failed?: string[] } | undefined;
      return lists === undefined || listed.length === 0
        ? status
        : {
            ...status,
            uncountedTerminatedPods: { succeeded: [...listed], failed: [...(lists.failed ?? []), ...listed] },
          };
    }),
  },
  {
    bug: "a list of pods that is older than the list of Jobs is taken for one as new",
    breaks: "counted once",
    orElse: [
      "no more pods than wanted",
      "no index is started without cause",
      "a finalizer goes only after its pod is counted",
      "requests make sense",
      "pods are deleted for a reason",
      "back-off is kept",
      "everything comes to its end",
      "suspended Jobs create nothing",
      "pods are claimed in the end",
      "claims have a cause",
    ],
    plant: takingOldListsForNew(),
  },
  {
    bug: "a replica writes without holding the Lease",
    seed: 14,
    breaks: "only the leader writes",
    plant: { fence: () => () => true },
  },
  {
    bug: "the caps are those of upstream, whatever is configured",
    seed: 5,
    breaks: "limits are kept",
    plant: { constants: { maxPodsPerSync: 500, maxUncountedPods: 500 } },
  },
  {
    bug: "the last event is written again and again",
    breaks: "silence when all is done",
    orElse: ["limits are kept"],
    plant: repeatingEvents(),
  },
];

/** Whatever comes after the first page of a list ends it, as if nothing more were there. */
function takingAnythingForTheEnd(): Plant {
  const versions = new Map<string, number>();
  return sending((request, done, send, process) => {
    const [, resource = ""] = LIST.exec(request.path) ?? [];
    if (request.method !== "GET" || resource === "") return send(request, done);
    const key = `${process.name} ${resource}`;
    send(request, (answer) => {
      const version = versionOfList(textOf(answer.body));
      if (!request.path.includes("continue=")) versions.set(key, version);
      const [kind, apiVersion] = resource === "pods" ? ["PodList", "v1"] : ["JobList", "batch/v1"];
      const end = { kind, apiVersion, metadata: { resourceVersion: String(versions.get(key)) }, items: [] };
      done(
        answer.status === 200 && request.path.includes("continue=") ? { ...answer, body: JSON.stringify(end) } : answer,
      );
    });
  });
}

/** Every list of pods says that it is as new as the newest list of Jobs. */
function takingOldListsForNew(): Plant {
  const versions = new Map<string, number>();
  return sending((request, done, send, process) => {
    const [, resource = ""] = LIST.exec(request.path) ?? [];
    if (request.method !== "GET" || resource === "") return send(request, done);
    send(request, (answer) => {
      const text = textOf(answer.body);
      const version = versionOfList(text);
      if (resource === "jobs") versions.set(process.name, Math.max(versions.get(process.name) ?? 0, version));
      const newest = versions.get(process.name) ?? 0;
      done(
        resource === "pods" && version > 0 && version < newest
          ? { ...answer, body: text.replace(`"resourceVersion":"${version}"`, `"resourceVersion":"${newest}"`) }
          : answer,
      );
    });
  });
}

/** A creation without an answer is taken for refused, and so is every other one of that Job, which is not even sent. */
function forgettingUnclearPods(): Plant {
  const unclear = new Set<string>();
  return sending((request, done, send, process) => {
    if (!isCreation(request)) return send(request, done);
    const key = `${process.name} ${(JSON.parse(bodyOf(request)) as KubeObject).metadata.ownerReferences![0]!.uid}`;
    const isSent = !unclear.has(key);
    send(
      isSent
        ? request
        : { method: "GET", path: request.path.replace(/pods$/, "pods/absent"), headers: request.headers },
      (answer) => {
        if (isSent && answer.status !== 0) return done(answer);
        unclear.add(key);
        done(refusedBy(answer));
      },
    );
  });
}

/** The answer as it were if the API server had refused the request. */
function refusedBy(answer: ApiResponse): ApiResponse {
  return {
    ...answer,
    status: 500,
    body: '{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"InternalError","message":"no","code":500}',
  };
}

/** Engines say something else of what they have counted. */
function rewritingCounters(rewrite: (value: number, name: string) => number): Plant {
  return {
    metrics: (metrics) => ({
      ...metrics,
      families: metrics.families.map((family) =>
        family.type !== "counter"
          ? family
          : {
              ...family,
              samples: family.samples.map((sample) => ({ ...sample, value: rewrite(sample.value ?? 0, family.name) })),
            },
      ),
    }),
  };
}

/** What the answer to a creation would show. */
function asStored(request: ApiRequest): string {
  const object = JSON.parse(bodyOf(request)) as KubeObject;
  return JSON.stringify({
    ...object,
    metadata: { ...object.metadata, uid: object.metadata.name, resourceVersion: "1000000" },
  });
}

/** Remembers how a pod of each Job was created, and creates another one when a status is stored that calls for it. */
function rememberingCreation(
  isTime: (
    job: Pick<JobFacts, "conditions">,
    status: JsonObject & { uncountedTerminatedPods?: { failed?: string[] } },
  ) => boolean,
): Plant {
  const creations = new Map<string, ApiRequest>();
  return afterwards(
    (request) => isCreation(request) || isStatusPatch(request),
    (request, object, send) => {
      if (isCreation(request)) creations.set(object.metadata.ownerReferences?.[0]?.uid ?? "", request);
      const creation = creations.get(object.metadata.uid);
      if (creation !== undefined && isTime(factsOf(object), object["status"] ?? {})) send(creation, () => {});
    },
  );
}

/**
 * The first event of each controller is followed by another one, and that by the next, as long as there are answers.
 */
function repeatingEvents(): Plant {
  const repeating = new WeakSet<ControllerProcess>();
  let repetitions = 0;
  return sending((request, done, send, process) => {
    const repeat = (): void => {
      const event = JSON.parse(bodyOf(request)) as { metadata: { name: string } };
      send(
        {
          ...request,
          body: JSON.stringify({
            ...event,
            metadata: { ...event.metadata, name: `${event.metadata.name}.${++repetitions}` },
          }),
        },
        repeat,
      );
    };
    send(request, (answer) => {
      done(answer);
      if (!isEvent(request) || repeating.has(process)) return;
      repeating.add(process);
      repeat();
    });
  });
}

/** The patch that counts an event for the second time. */
function countOf(creation: ApiRequest): ApiRequest {
  const { metadata } = JSON.parse(bodyOf(creation)) as KubeObject;
  const headers = { ...creation.headers, "content-type": "application/strategic-merge-patch+json" };
  return { method: "PATCH", path: `${creation.path}/${metadata.name}`, headers, body: JSON.stringify({ count: 2 }) };
}

function factsOf(object: KubeObject): Pick<JobFacts, "conditions"> {
  return { conditions: (object["status"]?.conditions ?? []) as JobFacts["conditions"] };
}

function withoutStartTime({ startTime: _startTime, ...status }: JsonObject): JsonObject {
  return status;
}

function withIndex(pod: KubeObject, change: (index: number) => number): KubeObject {
  return withAnnotation(pod, INDEX_ANNOTATION, (index) => String(change(Number(index))));
}

/** A pod that has the annotation gets another value. */
function withAnnotation(pod: KubeObject, annotation: string, change: (value: string) => string): KubeObject {
  const { annotations } = pod.metadata;
  const value = annotations?.[annotation];
  return value === undefined
    ? pod
    : { ...pod, metadata: { ...pod.metadata, annotations: { ...annotations, [annotation]: change(value) } } };
}

function lastIndexOf(intervals: string): string {
  return /\d+$/.exec(intervals)![0];
}

function oneByOne(intervals: string): string {
  return intervals.replace(/(\d+)-(\d+)/g, (_all, first: string, last: string) =>
    Array.from({ length: Number(last) - Number(first) + 1 }, (_none, i) => Number(first) + i).join(","),
  );
}
