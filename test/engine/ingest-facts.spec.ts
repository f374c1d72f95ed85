/**
 * Objects of the API read down to facts. Rules: docs/spec/controller.md 2.7, 3.1, 3.2 and M3; what is wrong with an
 * object is named by field, and the document continues behind it.
 */
import "./engine-first";
import * as f from "../../assembly/json/field-keys";
import { JobFacts } from "../../assembly/ingest/job-facts";
import { ObjectFacts } from "../../assembly/ingest/object-facts";
import { PodFacts } from "../../assembly/ingest/pod-facts";
import { readJob } from "../../assembly/ingest/read-job";
import { readPod } from "../../assembly/ingest/read-pod";
import { readStatusError, StatusError } from "../../assembly/ingest/status-error";
import { ABSENT, NO_COMPLETIONS, NO_INDEX } from "../../assembly/model/absent";
import { blobAt, blobSize, freeBlob } from "../../assembly/memory/blob";
import { CONDITION_COMPLETE, CONDITION_FOREIGN, freeConditions } from "../../assembly/model/condition";
import {
  PHASE_FAILED,
  PHASE_OTHER,
  PHASE_PENDING,
  PHASE_RUNNING,
  PHASE_SUCCEEDED,
} from "../../assembly/model/pod-state";
import { PHASE_RANK_PENDING, PHASE_RANK_RUNNING, PHASE_RANK_UNKNOWN } from "../../assembly/model/pod-ranking";
import { blobOfText, textAt } from "./support";
import * as reader from "../../assembly/json/reader";

const T1: f64 = 1767323045000; // 2026-01-02T03:04:05Z
const NONE = "none";
// Container statuses for finish times.
const ENDED = '{"name":"c","state":{"terminated":{"exitCode":0,"finishedAt":"2026-01-02T03:04:05Z"}}}';
const ENDED_LATER = '{"name":"d","state":{"terminated":{"finishedAt":"2026-01-02T03:04:07Z"}}}';
const RUNS = '{"name":"c","state":{"running":{}}}';
const WITHOUT_TIME = '{"name":"c","state":{"terminated":{"finishedAt":null}}}';
const SIDECAR_ENDED = '{"name":"s","state":{"terminated":{"finishedAt":"2026-01-02T03:04:09Z"}}}';
const SIDECAR_RUNS = '{"name":"s2","state":{"running":{}}}';
const INIT_ENDED = '{"name":"i","state":{"terminated":{"finishedAt":"2026-01-02T03:05:00Z"}}}';
const NOT_READY = '"conditions":[{"type":"Ready","status":"False","lastTransitionTime":"2026-01-02T03:04:05Z"}]';

function openText(text: string): void {
  const blob = blobOfText(text);
  reader.open(blobAt(blob), blobSize(blob));
}

function problem(facts: ObjectFacts): string {
  const text = facts.problem;
  return text === null ? NONE : text;
}

/** The facts of a pod; `isRead` is false also when something follows. */
function pod(text: string): PodFacts {
  openText(text);
  const facts = readPod();
  if (facts.isRead && !reader.atEnd()) facts.isRead = false;
  return facts;
}

function podOfMetadata(text: string): PodFacts {
  return pod('{"metadata":{' + text + "}}");
}

function podOfStatus(text: string): PodFacts {
  return pod(
    '{"metadata":{"creationTimestamp":"2026-01-01T00:00:00Z"},"spec":{"initContainers":[{"name":"s","restartPolicy":"Always"},{"name":"i"},{"restartPolicy":"Always","name":"s2"}]},"status":{' +
      text +
      "}}",
  );
}

function job(text: string): JobFacts {
  openText(text);
  const facts = readJob();
  if (facts.isRead && !reader.atEnd()) facts.isRead = false;
  return facts;
}

function jobOfSpec(text: string): JobFacts {
  return job('{"spec":{' + text + "}}");
}

function indexOf(annotation: string): i32 {
  return podOfMetadata('"annotations":{"x":{},"batch.kubernetes.io/job-completion-index":' + annotation + "}")
    .completionIndex;
}

function blobText(blob: usize): string {
  return blob == 0 ? NONE : textAt(blobAt(blob), blobSize(blob));
}

function hasUnknownMode(spec: string): bool {
  const facts = jobOfSpec(spec);
  expect(facts.isRead).toBe(true);
  return facts.spec.hasUnknownMode;
}

function finish(status: string): f64 {
  return podOfStatus(status).finishMs;
}

function errorOf(body: string, status: i32): StatusError {
  const blob = blobOfText(body);
  return readStatusError(blobAt(blob), blobSize(blob), status);
}

function messageOf(body: string, status: i32): string {
  return blobText(errorOf(body, status).message);
}

describe("keys", () => {
  it("differ for different names", () => {
    openText(
      '{"status":1,"spec":2,"statuses":3,"metadata":4,"a":5,"":6,"uncountedTerminatedPods":7,"uncountedTerminatedpods":8}',
    );
    const keys = new Array<u64>();
    if (reader.enterObject()) {
      while (reader.nextKey()) {
        keys.push(f.key());
        reader.skipValue();
      }
    }
    expect(keys[0] == f.STATUS).toBe(true);
    expect(keys[1] == f.SPEC).toBe(true);
    expect(keys[3] == f.METADATA).toBe(true);
    expect(keys[6] == f.keyOf("uncountedTerminatedPods")).toBe(true);
    for (let i = 0; i < keys.length; ++i) {
      for (let j = 0; j < i; ++j) expect(keys[i] != keys[j]).toBe(true);
    }
  });

  it("do not depend on what follows the name, nor on escapes in it", () => {
    openText('{"\\u0075id":"x","uid":1}');
    reader.enterObject();
    reader.nextKey();
    expect(f.key() == f.keyOf("uid")).toBe(true);
    reader.skipValue();
    reader.nextKey();
    expect(f.key() == f.keyOf("uid")).toBe(true);
  });
});

describe("metadata", () => {
  it("gives identity, times and finalizers", () => {
    const facts = podOfMetadata(
      '"name":"n","namespace":"ns","uid":"u","resourceVersion":"123456789012345678","generation":4,"creationTimestamp":"2026-01-02T03:04:05Z","deletionTimestamp":"2026-01-02T03:04:06Z","deletionGracePeriodSeconds":30,"finalizers":["a","batch.kubernetes.io/job-tracking"]',
    );
    expect(facts.isRead).toBe(true);
    expect(textAt(facts.name, facts.nameSize)).toBe("n");
    expect(textAt(facts.namespace, facts.namespaceSize)).toBe("ns");
    expect(textAt(facts.uid, facts.uidSize)).toBe("u");
    expect(facts.resourceVersion).toBe(123456789012345678);
    expect(facts.generation).toBe(4);
    expect(facts.creationMs).toBe(T1);
    expect(facts.deletionMs).toBe(T1 + 1000);
    expect(facts.deletionGracePeriodMs).toBe(30000);
    expect(facts.holdsTrackingFinalizer).toBe(true);
    expect(problem(facts)).toBe(NONE);
  });

  it("forgets the object before", () => {
    let facts = podOfMetadata(
      '"name":"n","uid":"u","resourceVersion":"1","deletionTimestamp":"2026-01-02T03:04:06Z","finalizers":["batch.kubernetes.io/job-tracking"],"ownerReferences":[{"kind":"Job","controller":true,"uid":"o","name":"j"}],"annotations":{"batch.kubernetes.io/job-completion-index":"1"}',
    );
    facts = podOfMetadata("");
    expect(facts.nameSize + facts.uidSize + facts.ownerUidSize + facts.ownerNameSize).toBe(0);
    expect(facts.resourceVersion).toBe(0);
    expect(isNaN(facts.deletionMs) && isNaN(facts.creationMs)).toBe(true);
    expect(facts.holdsTrackingFinalizer || facts.isControlled).toBe(false);
    expect(facts.completionIndex).toBe(NO_INDEX);
  });

  it("names what it cannot read, and reads on", () => {
    let facts = podOfMetadata('"name":"\\u0061","creationTimestamp":"yesterday","uid":"u"');
    expect(facts.isRead).toBe(true);
    expect(problem(facts)).toBe("metadata.name: has escapes");
    expect(textAt(facts.uid, facts.uidSize)).toBe("u");
    facts = podOfMetadata('"creationTimestamp":"yesterday"');
    expect(facts.isRead).toBe(true);
    expect(problem(facts)).toBe("metadata.creationTimestamp: not a time");
    facts = podOfMetadata('"creationTimestamp":null');
    expect(facts.isRead).toBe(true);
    expect(problem(facts)).toBe(NONE);
  });

  it("takes versions of up to 18 digits and nothing else", () => {
    const texts: string[] = ['"0"', '"1"', '"1234567890123456789"', '"1a"', '"-1"', '""', "null"];
    const versions: u64[] = [0, 1, 0, 0, 0, 0, 0];
    for (let i = 0; i < texts.length; ++i) {
      const facts = podOfMetadata('"resourceVersion":' + texts[i]);
      expect(facts.resourceVersion).toBe(versions[i], texts[i]);
    }
  });

  it("takes the completion index from the annotation as Atoi does", () => {
    expect(indexOf('"0"')).toBe(0);
    expect(indexOf('"2147483647"')).toBe(2147483647);
    expect(indexOf('"2147483648"')).toBe(NO_INDEX);
    expect(indexOf('"+7"')).toBe(7);
    expect(indexOf('"007"')).toBe(7);
    expect(indexOf('"-1"')).toBe(NO_INDEX);
    expect(indexOf('""')).toBe(NO_INDEX);
    expect(indexOf('"+"')).toBe(NO_INDEX);
    expect(indexOf('"1 "')).toBe(NO_INDEX);
    expect(indexOf("null")).toBe(NO_INDEX);
  });

  it("knows the controller: the first reference with controller true", () => {
    let facts = podOfMetadata(
      '"ownerReferences":[{"kind":"Job","uid":"a","name":"x"},{"apiVersion":"batch/v1","kind":"Job","uid":"b","name":"y","controller":true},{"kind":"Job","uid":"c","name":"z","controller":true}]',
    );
    expect(facts.isControlled).toBe(true);
    expect(facts.ownerIsBatchV1).toBe(true);
    expect(textAt(facts.ownerUid, facts.ownerUidSize)).toBe("b");
    expect(textAt(facts.ownerName, facts.ownerNameSize)).toBe("y");
    facts = podOfMetadata(
      '"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","uid":"r","name":"r","controller":true},{"apiVersion":"batch/v1","kind":"Job","uid":"b","name":"y","controller":true}]',
    );
    expect(facts.isControlled).toBe(true);
    expect(facts.ownerUidSize).toBe(0);
    facts = podOfMetadata(
      '"ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","uid":"b","name":"y","controller":false}]',
    );
    expect(facts.isControlled).toBe(false);
    expect(facts.ownerUidSize).toBe(0);
  });
});

describe("a pod", () => {
  it("has a phase, and any other spelling is none", () => {
    const names: string[] = [
      '"Pending"',
      '"Running"',
      '"Succeeded"',
      '"Failed"',
      '"Unknown"',
      '"running"',
      '""',
      "null",
    ];
    const phases: u8[] = [
      PHASE_PENDING,
      PHASE_RUNNING,
      PHASE_SUCCEEDED,
      PHASE_FAILED,
      PHASE_OTHER,
      PHASE_OTHER,
      PHASE_OTHER,
      PHASE_OTHER,
    ];
    for (let i = 0; i < names.length; ++i) {
      const facts = podOfStatus('"phase":' + names[i]);
      expect(facts.isRead).toBe(true);
      expect(facts.phase).toBe(phases[i]);
      expect(facts.phaseRank).toBe(i == 1 ? PHASE_RANK_RUNNING : i == 4 ? PHASE_RANK_UNKNOWN : PHASE_RANK_PENDING);
    }
  });

  it("is ready by its first Ready condition", () => {
    let facts = podOfStatus(
      '"conditions":[{"type":"Initialized","status":"True"},{"status":"True","lastTransitionTime":"2026-01-02T03:04:05Z","type":"Ready"},{"type":"Ready","status":"False"}]',
    );
    expect(facts.ready).toBe(true);
    expect(facts.readySinceMs).toBe(T1);
    facts = podOfStatus('"conditions":[{"type":"Ready","status":"Unknown"},{"type":"Ready","status":"True"}]');
    expect(facts.ready).toBe(false);
    facts = podOfStatus('"conditions":null');
    expect(facts.ready).toBe(false);
  });

  it("has a node when nodeName is not empty", () => {
    let facts = pod('{"spec":{"nodeName":"n"}}');
    expect(facts.hasNode).toBe(true);
    facts = pod('{"spec":{"nodeName":""}}');
    expect(facts.hasNode).toBe(false);
    facts = pod("{}");
    expect(facts.hasNode).toBe(false);
  });

  it("adds restarts up, and knows the largest of each sort of container", () => {
    let facts = podOfStatus(
      '"containerStatuses":[{"name":"a","restartCount":3},{"name":"b","restartCount":5}],"initContainerStatuses":[{"name":"s","restartCount":7},{"name":"i","restartCount":11},{"name":"s2","restartCount":2}]',
    );
    expect(facts.restarts).toBe(28);
    expect(facts.maxRestarts).toBe(5);
    expect(facts.maxSidecarRestarts).toBe(7);
    facts = podOfStatus('"containerStatuses":[{"restartCount":2147483647},{"restartCount":2147483647}]');
    expect(facts.restarts).toBe(i32.MAX_VALUE);
    facts = podOfStatus('"containerStatuses":[{"restartCount":-1}]');
    expect(problem(facts)).toBe("status.containerStatuses[].restartCount: out of range");
  });

  it("knows sidecars when the status comes before the spec", () => {
    const facts = pod(
      '{"status":{"initContainerStatuses":[{"name":"s","restartCount":7}]},"metadata":{"name":"n"},"spec":{"initContainers":[{"name":"s","restartPolicy":"Always"}]}}',
    );
    expect(facts.maxSidecarRestarts).toBe(7);
    expect(reader.ok()).toBe(true);
  });

  it("that is not an object is broken", () => {
    let facts = pod("[]");
    expect(facts.isRead).toBe(false);
    facts = pod('{"metadata":[]}');
    expect(facts.isRead).toBe(false);
    facts = pod('{"status":{"phase":"Running"');
    expect(facts.isRead).toBe(false);
  });
});

describe("the finish time of a pod", () => {
  it("is that of the last container, when all have ended", () => {
    expect(finish('"containerStatuses":[' + ENDED_LATER + "," + ENDED + "]")).toBe(T1 + 2000);
    expect(finish('"containerStatuses":[' + ENDED + '],"initContainerStatuses":[' + SIDECAR_ENDED + "]")).toBe(
      T1 + 4000,
    );
    expect(finish('"containerStatuses":[' + ENDED + '],"initContainerStatuses":[' + INIT_ENDED + "]")).toBe(
      T1,
      "an ordinary init container does not count",
    );
  });

  it("is not known from containers while a sidecar runs", () => {
    expect(
      finish(
        '"containerStatuses":[' +
          ENDED +
          '],"initContainerStatuses":[' +
          SIDECAR_ENDED +
          "," +
          SIDECAR_RUNS +
          "]," +
          NOT_READY.replace(":05Z", ":01Z"),
      ),
    ).toBe(T1 - 4000);
  });

  it("may be that of a sidecar alone", () => {
    expect(finish('"containerStatuses":[' + RUNS + '],"initContainerStatuses":[' + SIDECAR_ENDED + "]")).toBe(
      T1 + 4000,
    );
  });

  it("else is that of Ready turning False", () => {
    expect(finish('"containerStatuses":[' + ENDED + "," + RUNS + "]," + NOT_READY)).toBe(T1);
    expect(finish('"containerStatuses":[' + WITHOUT_TIME + "]," + NOT_READY)).toBe(T1);
    expect(finish(NOT_READY.replace("False", "Unknown"))).toBe(T1 - 97445000, "the creation time");
  });

  it("else is that of the deletion request", () => {
    let facts = pod(
      '{"metadata":{"creationTimestamp":"2026-01-01T00:00:00Z","deletionTimestamp":"2026-01-02T03:04:35Z","deletionGracePeriodSeconds":30}}',
    );
    expect(facts.finishMs).toBe(T1);
    facts = pod('{"metadata":{"deletionTimestamp":"2026-01-02T03:04:05Z"}}');
    expect(facts.finishMs).toBe(T1);
  });

  it("else is that of the creation", () => {
    const facts = pod('{"metadata":{"creationTimestamp":"2026-01-02T03:04:05Z"}}');
    expect(facts.finishMs).toBe(T1);
  });
});

describe("the spec of a Job", () => {
  it("has the API's defaults", () => {
    const facts = job("{}");
    expect(facts.isRead).toBe(true);
    expect(facts.spec.parallelism).toBe(1);
    expect(facts.spec.completions).toBe(NO_COMPLETIONS);
    expect(facts.spec.backoffLimit).toBe(6);
    expect(isNaN(facts.spec.activeDeadlineMs)).toBe(true);
    expect(facts.spec.indexed || facts.spec.onFailure || facts.hasUncounted).toBe(false);
    expect(facts.ready).toBe(ABSENT);
    expect(facts.terminating).toBe(ABSENT);
    expect(problem(facts)).toBe(NONE);
  });

  it("is read whole", () => {
    const facts = jobOfSpec(
      '"parallelism":0,"completions":2147483647,"backoffLimit":0,"activeDeadlineSeconds":90,"completionMode":"Indexed","template":{"spec":{"x":1,"restartPolicy":"OnFailure"}},"unknown":{}',
    );
    expect(facts.isRead).toBe(true);
    expect(facts.spec.parallelism).toBe(0);
    expect(facts.spec.completions).toBe(i32.MAX_VALUE);
    expect(facts.spec.backoffLimit).toBe(0);
    expect(facts.spec.activeDeadlineMs).toBe(90000);
    expect(facts.spec.indexed && facts.spec.onFailure).toBe(true);
    expect(textAt(facts.template, facts.templateSize)).toBe('{"spec":{"x":1,"restartPolicy":"OnFailure"}}');
  });

  it("names numbers out of range", () => {
    const fields: string[] = ["parallelism", "completions", "backoffLimit"];
    for (let i = 0; i < fields.length; ++i) {
      let facts = jobOfSpec('"' + fields[i] + '":-5');
      expect(facts.isRead).toBe(true);
      expect(problem(facts)).toBe("spec." + fields[i] + ": not a whole number from 0 to 2147483647");
      facts = jobOfSpec('"' + fields[i] + '":2147483648');
      expect(problem(facts)).toBe("spec." + fields[i] + ": not a whole number from 0 to 2147483647");
    }
    const facts = jobOfSpec('"completionMode":"Indexed"');
    expect(problem(facts)).toBe("spec.completions: missing, an Indexed Job needs it");
  });

  it("has a completion mode that is known, or not", () => {
    expect(hasUnknownMode('"completionMode":"NonIndexed"')).toBe(false);
    expect(hasUnknownMode('"completionMode":"Indexed","completions":1')).toBe(false);
    expect(hasUnknownMode('"completionMode":null')).toBe(false);
    expect(hasUnknownMode('"completionMode":"Other"')).toBe(true);
  });

  it("names its manager, or none", () => {
    let facts = jobOfSpec('"managedBy":"example.com/c"');
    expect(facts.hasManagedBy).toBe(true);
    expect(textAt(facts.managedBy, facts.managedBySize)).toBe("example.com/c");
    facts = jobOfSpec('"managedBy":""');
    expect(facts.hasManagedBy).toBe(true);
    expect(facts.managedBySize).toBe(0);
    facts = jobOfSpec('"managedBy":null');
    expect(facts.hasManagedBy).toBe(false);
    facts = jobOfSpec("");
    expect(facts.hasManagedBy).toBe(false);
  });
});

describe("the status of a Job", () => {
  it("is read whole", () => {
    let facts = job(
      '{"status":{"active":1,"ready":0,"terminating":2,"succeeded":3,"failed":4,"startTime":"2026-01-02T03:04:05Z","completionTime":null,"completedIndexes":"1-3","uncountedTerminatedPods":{"succeeded":["a","b"],"failed":["c"]}}}',
    );
    expect(facts.isRead).toBe(true);
    expect(facts.active).toBe(1);
    expect(facts.ready).toBe(0);
    expect(facts.terminating).toBe(2);
    expect(facts.succeeded).toBe(3);
    expect(facts.failed).toBe(4);
    expect(facts.startTimeMs).toBe(T1);
    expect(isNaN(facts.completionTimeMs)).toBe(true);
    expect(facts.hasUncounted).toBe(true);
    expect(facts.uncountedSucceeded.length).toBe(2);
    expect(textAt(facts.uncountedFailed.at(0), facts.uncountedFailed.size(0))).toBe("c");
    const text = facts.takeCompletedText();
    expect(blobText(text)).toBe("1-3");
    expect(facts.completedText).toBe(0);
    freeBlob(text);
    facts = job('{"status":{"completedIndexes":""}}');
    expect(facts.completedText).toBe(0);
    expect(facts.uncountedSucceeded.length).toBe(0, "of this Job, not of the one before");
  });

  it("keeps conditions in order, each with its own bytes", () => {
    const facts = job(
      '{"status":{"conditions":[ {"type":"Mine", "status":"True","x":[1]} ,{"type":"Complete","status":"True","reason":"r","message":"m","reason":"r2"}]}}',
    );
    expect(facts.isRead).toBe(true);
    const first = facts.takeConditions()!;
    const second = first.next!;
    expect(first.type).toBe(CONDITION_FOREIGN);
    expect(blobText(first.raw)).toBe('{"type":"Mine", "status":"True","x":[1]}');
    expect(second.type).toBe(CONDITION_COMPLETE);
    expect(second.isTrue).toBe(true);
    expect(blobText(second.reason)).toBe("r2");
    expect(blobText(second.message)).toBe("m");
    expect(second.next === null).toBe(true);
    expect(facts.takeConditions() === null).toBe(true);
    freeConditions(first);
  });

  it("names what is out of range", () => {
    let facts = job('{"status":{"active":-1}}');
    expect(problem(facts)).toBe("status.active: out of range");
    facts = job('{"status":{"uncountedTerminatedPods":{"failed":["' + "u".repeat(64) + '"]}}}');
    expect(problem(facts)).toBe("status.uncountedTerminatedPods: a UID is longer than 63 bytes");
  });
});

describe("an error answer", () => {
  it("says what its Status says", () => {
    let error = errorOf(
      '{"kind":"Status","message":"pods \\"a\\" is forbidden","details":{"causes":[{"reason":"Other"}]}}',
      403,
    );
    expect(blobText(error.message)).toBe('pods "a" is forbidden');
    expect(error.isNamespaceTerminating).toBe(false);
    error = errorOf('{"message":"m","details":{"causes":[{"reason":"Other"},{"reason":"NamespaceTerminating"}]}}', 403);
    expect(blobText(error.message)).toBe("m");
    expect(error.isNamespaceTerminating).toBe(true);
  });

  it("says the HTTP status where there is no message", () => {
    const bodies: string[] = ["", "<html>", "null", "[]", '{"message":""}', '{"message":null}', '{"a":'];
    for (let i = 0; i < bodies.length; ++i) {
      const error = errorOf(bodies[i], 502);
      expect(blobText(error.message)).toBe("HTTP status 502");
      expect(error.isNamespaceTerminating).toBe(false);
    }
  });

  it("that was lost is reported as lost", () => {
    expect(messageOf("", 0)).toBe("the answer was lost");
    expect(messageOf('{"message":"half an ans', 0)).toBe("the answer cannot be read");
  });

  it("is cut to 512 bytes, between characters", () => {
    expect(messageOf('{"message":"' + "x".repeat(600) + '"}', 500)).toBe("x".repeat(512));
    expect(messageOf('{"message":"' + "x".repeat(511) + 'é"}', 500)).toBe("x".repeat(511));
  });
});
