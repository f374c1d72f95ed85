/**
 * Objects of the API read down to facts. Rules: docs/spec/controller.md 2.7, 3.1, 3.2 and M3; what is wrong with an
 * object is named by field, and the document goes on behind it.
 */
import "./engine-first";
import * as f from "../../assembly/json/field-keys";
import * as metadata from "../../assembly/ingest/metadata";
import * as jobFacts from "../../assembly/ingest/read-job";
import * as podFacts from "../../assembly/ingest/read-pod";
import { readStatusError, StatusError } from "../../assembly/ingest/status-error";
import * as reader from "../../assembly/json/reader";
import { ABSENT, NO_COMPLETIONS, NO_INDEX } from "../../assembly/model/absent";
import { blobAt, blobSize, freeBlob } from "../../assembly/memory/blob";
import { CONDITION_COMPLETE, CONDITION_FOREIGN, freeConditions } from "../../assembly/model/condition";
import { PHASE_FAILED, PHASE_OTHER, PHASE_PENDING, PHASE_RUNNING, PHASE_SUCCEEDED } from "../../assembly/model/pod";
import { PHASE_RANK_PENDING, PHASE_RANK_RUNNING, PHASE_RANK_UNKNOWN } from "../../assembly/model/pod-ranking";
import { blobOfText, textAt } from "./support";

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

function problem(): string {
  const text = metadata.problem;
  return text === null ? NONE : text;
}

/** Reads the pod; false when the document is broken or something follows. */
function readPod(text: string): bool {
  openText(text);
  return podFacts.read() && reader.atEnd();
}

function readPodMetadata(text: string): bool {
  return readPod('{"metadata":{' + text + "}}");
}

function readPodStatus(text: string): bool {
  return readPod(
    '{"metadata":{"creationTimestamp":"2026-01-01T00:00:00Z"},"spec":{"initContainers":[{"name":"s","restartPolicy":"Always"},{"name":"i"},{"restartPolicy":"Always","name":"s2"}]},"status":{' +
      text +
      "}}",
  );
}

function readJob(text: string): bool {
  openText(text);
  return jobFacts.read() && reader.atEnd();
}

function readJobSpec(text: string): bool {
  return readJob('{"spec":{' + text + "}}");
}

function indexOf(annotation: string): i32 {
  readPodMetadata('"annotations":{"x":{},"batch.kubernetes.io/job-completion-index":' + annotation + "}");
  return metadata.completionIndex;
}

function blobText(blob: usize): string {
  return blob == 0 ? NONE : textAt(blobAt(blob), blobSize(blob));
}

function hasUnknownMode(spec: string): bool {
  expect(readJobSpec(spec)).toBe(true);
  return jobFacts.hasUnknownMode;
}

function finish(status: string): f64 {
  readPodStatus(status);
  return podFacts.finishMs;
}

function errorOf(body: string, status: i32): StatusError {
  const blob = blobOfText(body);
  return readStatusError(blobAt(blob), blobSize(blob), status);
}

function messageOf(body: string, status: i32): string {
  return blobText(errorOf(body, status).message);
}

describe("keys", () => {
  it("tell names apart", () => {
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
    expect(keys[6] == f.UNCOUNTED_TERMINATED_PODS).toBe(true);
    for (let i = 0; i < keys.length; ++i) {
      for (let j = 0; j < i; ++j) expect(keys[i] != keys[j]).toBe(true);
    }
  });

  it("do not depend on what follows the name, nor on escapes in it", () => {
    openText('{"\\u0075id":"x","uid":1}');
    reader.enterObject();
    reader.nextKey();
    expect(f.key() == f.UID).toBe(true);
    reader.skipValue();
    reader.nextKey();
    expect(f.key() == f.UID).toBe(true);
  });
});

describe("metadata", () => {
  it("gives identity, times and finalizers", () => {
    expect(
      readPodMetadata(
        '"name":"n","namespace":"ns","uid":"u","resourceVersion":"123456789012345678","generation":4,"creationTimestamp":"2026-01-02T03:04:05Z","deletionTimestamp":"2026-01-02T03:04:06Z","deletionGracePeriodSeconds":30,"finalizers":["a","batch.kubernetes.io/job-tracking"]',
      ),
    ).toBe(true);
    expect(textAt(metadata.name, metadata.nameSize)).toBe("n");
    expect(textAt(metadata.namespace, metadata.namespaceSize)).toBe("ns");
    expect(textAt(metadata.uid, metadata.uidSize)).toBe("u");
    expect(metadata.resourceVersion).toBe(123456789012345678);
    expect(metadata.generation).toBe(4);
    expect(metadata.creationMs).toBe(T1);
    expect(metadata.deletionMs).toBe(T1 + 1000);
    expect(metadata.deletionGracePeriodMs).toBe(30000);
    expect(metadata.holdsTrackingFinalizer).toBe(true);
    expect(problem()).toBe(NONE);
  });

  it("forgets the object before", () => {
    readPodMetadata(
      '"name":"n","uid":"u","resourceVersion":"1","deletionTimestamp":"2026-01-02T03:04:06Z","finalizers":["batch.kubernetes.io/job-tracking"],"ownerReferences":[{"kind":"Job","controller":true,"uid":"o","name":"j"}],"annotations":{"batch.kubernetes.io/job-completion-index":"1"}',
    );
    readPodMetadata("");
    expect(metadata.nameSize + metadata.uidSize + metadata.ownerUidSize + metadata.ownerNameSize).toBe(0);
    expect(metadata.resourceVersion).toBe(0);
    expect(isNaN(metadata.deletionMs) && isNaN(metadata.creationMs)).toBe(true);
    expect(metadata.holdsTrackingFinalizer || metadata.isControlled).toBe(false);
    expect(metadata.completionIndex).toBe(NO_INDEX);
  });

  it("names what it cannot read, and reads on", () => {
    expect(readPodMetadata('"name":"\\u0061","creationTimestamp":"yesterday","uid":"u"')).toBe(true);
    expect(problem()).toBe("metadata.name: has escapes");
    expect(textAt(metadata.uid, metadata.uidSize)).toBe("u");
    expect(readPodMetadata('"creationTimestamp":"yesterday"')).toBe(true);
    expect(problem()).toBe("metadata.creationTimestamp: not a time");
    expect(readPodMetadata('"creationTimestamp":null')).toBe(true);
    expect(problem()).toBe(NONE);
  });

  it("takes versions of up to 18 digits and nothing else", () => {
    const texts: string[] = ['"0"', '"1"', '"1234567890123456789"', '"1a"', '"-1"', '""', "null"];
    const versions: u64[] = [0, 1, 0, 0, 0, 0, 0];
    for (let i = 0; i < texts.length; ++i) {
      readPodMetadata('"resourceVersion":' + texts[i]);
      expect(metadata.resourceVersion).toBe(versions[i], texts[i]);
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
    readPodMetadata(
      '"ownerReferences":[{"kind":"Job","uid":"a","name":"x"},{"apiVersion":"batch/v1","kind":"Job","uid":"b","name":"y","controller":true},{"kind":"Job","uid":"c","name":"z","controller":true}]',
    );
    expect(metadata.isControlled).toBe(true);
    expect(metadata.ownerIsBatchV1).toBe(true);
    expect(textAt(metadata.ownerUid, metadata.ownerUidSize)).toBe("b");
    expect(textAt(metadata.ownerName, metadata.ownerNameSize)).toBe("y");
    readPodMetadata(
      '"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","uid":"r","name":"r","controller":true},{"apiVersion":"batch/v1","kind":"Job","uid":"b","name":"y","controller":true}]',
    );
    expect(metadata.isControlled).toBe(true);
    expect(metadata.ownerUidSize).toBe(0);
    readPodMetadata(
      '"ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","uid":"b","name":"y","controller":false}]',
    );
    expect(metadata.isControlled).toBe(false);
    expect(metadata.ownerUidSize).toBe(0);
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
      expect(readPodStatus('"phase":' + names[i])).toBe(true);
      expect(podFacts.phase).toBe(phases[i]);
      expect(podFacts.phaseRank).toBe(i == 1 ? PHASE_RANK_RUNNING : i == 4 ? PHASE_RANK_UNKNOWN : PHASE_RANK_PENDING);
    }
  });

  it("is ready by its first Ready condition", () => {
    readPodStatus(
      '"conditions":[{"type":"Initialized","status":"True"},{"status":"True","lastTransitionTime":"2026-01-02T03:04:05Z","type":"Ready"},{"type":"Ready","status":"False"}]',
    );
    expect(podFacts.ready).toBe(true);
    expect(podFacts.readySinceMs).toBe(T1);
    readPodStatus('"conditions":[{"type":"Ready","status":"Unknown"},{"type":"Ready","status":"True"}]');
    expect(podFacts.ready).toBe(false);
    readPodStatus('"conditions":null');
    expect(podFacts.ready).toBe(false);
  });

  it("has a node when nodeName is not empty", () => {
    readPod('{"spec":{"nodeName":"n"}}');
    expect(podFacts.hasNode).toBe(true);
    readPod('{"spec":{"nodeName":""}}');
    expect(podFacts.hasNode).toBe(false);
    readPod("{}");
    expect(podFacts.hasNode).toBe(false);
  });

  it("adds restarts up, and knows the largest of each sort of container", () => {
    readPodStatus(
      '"containerStatuses":[{"name":"a","restartCount":3},{"name":"b","restartCount":5}],"initContainerStatuses":[{"name":"s","restartCount":7},{"name":"i","restartCount":11},{"name":"s2","restartCount":2}]',
    );
    expect(podFacts.restarts).toBe(28);
    expect(podFacts.maxRestarts).toBe(5);
    expect(podFacts.maxSidecarRestarts).toBe(7);
    readPodStatus('"containerStatuses":[{"restartCount":2147483647},{"restartCount":2147483647}]');
    expect(podFacts.restarts).toBe(i32.MAX_VALUE);
    readPodStatus('"containerStatuses":[{"restartCount":-1}]');
    expect(problem()).toBe("status.containerStatuses[].restartCount: out of range");
  });

  it("knows sidecars when the status comes before the spec", () => {
    readPod(
      '{"status":{"initContainerStatuses":[{"name":"s","restartCount":7}]},"metadata":{"name":"n"},"spec":{"initContainers":[{"name":"s","restartPolicy":"Always"}]}}',
    );
    expect(podFacts.maxSidecarRestarts).toBe(7);
    expect(reader.ok()).toBe(true);
  });

  it("that is not an object is broken", () => {
    expect(readPod("[]")).toBe(false);
    expect(readPod('{"metadata":[]}')).toBe(false);
    expect(readPod('{"status":{"phase":"Running"')).toBe(false);
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
    readPod(
      '{"metadata":{"creationTimestamp":"2026-01-01T00:00:00Z","deletionTimestamp":"2026-01-02T03:04:35Z","deletionGracePeriodSeconds":30}}',
    );
    expect(podFacts.finishMs).toBe(T1);
    readPod('{"metadata":{"deletionTimestamp":"2026-01-02T03:04:05Z"}}');
    expect(podFacts.finishMs).toBe(T1);
  });

  it("else is that of the creation", () => {
    readPod('{"metadata":{"creationTimestamp":"2026-01-02T03:04:05Z"}}');
    expect(podFacts.finishMs).toBe(T1);
  });
});

describe("the spec of a Job", () => {
  it("has the API's defaults", () => {
    expect(readJob("{}")).toBe(true);
    expect(jobFacts.parallelism).toBe(1);
    expect(jobFacts.completions).toBe(NO_COMPLETIONS);
    expect(jobFacts.backoffLimit).toBe(6);
    expect(isNaN(jobFacts.activeDeadlineMs)).toBe(true);
    expect(jobFacts.indexed || jobFacts.onFailure || jobFacts.hasUncounted).toBe(false);
    expect(jobFacts.ready).toBe(ABSENT);
    expect(jobFacts.terminating).toBe(ABSENT);
    expect(problem()).toBe(NONE);
  });

  it("is read whole", () => {
    expect(
      readJobSpec(
        '"parallelism":0,"completions":2147483647,"backoffLimit":0,"activeDeadlineSeconds":90,"completionMode":"Indexed","template":{"spec":{"x":1,"restartPolicy":"OnFailure"}},"unknown":{}',
      ),
    ).toBe(true);
    expect(jobFacts.parallelism).toBe(0);
    expect(jobFacts.completions).toBe(i32.MAX_VALUE);
    expect(jobFacts.backoffLimit).toBe(0);
    expect(jobFacts.activeDeadlineMs).toBe(90000);
    expect(jobFacts.indexed && jobFacts.onFailure).toBe(true);
    expect(textAt(jobFacts.template, jobFacts.templateSize)).toBe('{"spec":{"x":1,"restartPolicy":"OnFailure"}}');
  });

  it("names numbers out of range", () => {
    const fields: string[] = ["parallelism", "completions", "backoffLimit"];
    for (let i = 0; i < fields.length; ++i) {
      expect(readJobSpec('"' + fields[i] + '":-5')).toBe(true);
      expect(problem()).toBe("spec." + fields[i] + ": not a whole number from 0 to 2147483647");
      readJobSpec('"' + fields[i] + '":2147483648');
      expect(problem()).toBe("spec." + fields[i] + ": not a whole number from 0 to 2147483647");
    }
    readJobSpec('"completionMode":"Indexed"');
    expect(problem()).toBe("spec.completions: missing, an Indexed Job needs it");
  });

  it("has a completion mode that is known, or not", () => {
    expect(hasUnknownMode('"completionMode":"NonIndexed"')).toBe(false);
    expect(hasUnknownMode('"completionMode":"Indexed","completions":1')).toBe(false);
    expect(hasUnknownMode('"completionMode":null')).toBe(false);
    expect(hasUnknownMode('"completionMode":"Other"')).toBe(true);
  });

  it("names its manager, or none", () => {
    readJobSpec('"managedBy":"example.com/c"');
    expect(jobFacts.hasManagedBy).toBe(true);
    expect(textAt(jobFacts.managedBy, jobFacts.managedBySize)).toBe("example.com/c");
    readJobSpec('"managedBy":""');
    expect(jobFacts.hasManagedBy).toBe(true);
    expect(jobFacts.managedBySize).toBe(0);
    readJobSpec('"managedBy":null');
    expect(jobFacts.hasManagedBy).toBe(false);
    readJobSpec("");
    expect(jobFacts.hasManagedBy).toBe(false);
  });
});

describe("the status of a Job", () => {
  it("is read whole", () => {
    expect(
      readJob(
        '{"status":{"active":1,"ready":0,"terminating":2,"succeeded":3,"failed":4,"startTime":"2026-01-02T03:04:05Z","completionTime":null,"completedIndexes":"1-3","uncountedTerminatedPods":{"succeeded":["a","b"],"failed":["c"]}}}',
      ),
    ).toBe(true);
    expect(jobFacts.active).toBe(1);
    expect(jobFacts.ready).toBe(0);
    expect(jobFacts.terminating).toBe(2);
    expect(jobFacts.succeeded).toBe(3);
    expect(jobFacts.failed).toBe(4);
    expect(jobFacts.startTimeMs).toBe(T1);
    expect(isNaN(jobFacts.completionTimeMs)).toBe(true);
    expect(jobFacts.hasUncounted).toBe(true);
    expect(jobFacts.uncountedSucceeded.length).toBe(2);
    expect(textAt(jobFacts.uncountedFailed.at(0), jobFacts.uncountedFailed.size(0))).toBe("c");
    const text = jobFacts.takeCompletedText();
    expect(blobText(text)).toBe("1-3");
    expect(jobFacts.completedText).toBe(0);
    freeBlob(text);
    readJob('{"status":{"completedIndexes":""}}');
    expect(jobFacts.completedText).toBe(0);
    expect(jobFacts.uncountedSucceeded.length).toBe(0, "of this Job, not of the one before");
  });

  it("keeps conditions in order, each with its own bytes", () => {
    expect(
      readJob(
        '{"status":{"conditions":[ {"type":"Mine", "status":"True","x":[1]} ,{"type":"Complete","status":"True","reason":"r","message":"m","reason":"r2"}]}}',
      ),
    ).toBe(true);
    const first = jobFacts.takeConditions()!;
    const second = first.next!;
    expect(first.type).toBe(CONDITION_FOREIGN);
    expect(blobText(first.raw)).toBe('{"type":"Mine", "status":"True","x":[1]}');
    expect(second.type).toBe(CONDITION_COMPLETE);
    expect(second.isTrue).toBe(true);
    expect(blobText(second.reason)).toBe("r2");
    expect(blobText(second.message)).toBe("m");
    expect(second.next === null).toBe(true);
    expect(jobFacts.takeConditions() === null).toBe(true);
    freeConditions(first);
  });

  it("names what is out of range", () => {
    readJob('{"status":{"active":-1}}');
    expect(problem()).toBe("status.active: out of range");
    readJob('{"status":{"uncountedTerminatedPods":{"failed":["' + "u".repeat(64) + '"]}}}');
    expect(problem()).toBe("status.uncountedTerminatedPods: a UID is longer than 63 bytes");
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

  it("that was lost is told as such", () => {
    expect(messageOf("", 0)).toBe("the answer was lost");
    expect(messageOf('{"message":"half an ans', 0)).toBe("the answer cannot be read");
  });

  it("is cut to 512 bytes, between characters", () => {
    expect(messageOf('{"message":"' + "x".repeat(600) + '"}', 500)).toBe("x".repeat(512));
    expect(messageOf('{"message":"' + "x".repeat(511) + 'é"}', 500)).toBe("x".repeat(511));
  });
});
