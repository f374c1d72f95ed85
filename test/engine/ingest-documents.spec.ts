/**
 * Lists, watch events and answers become records: what is taken, what is believed gone, what stops a Job, and that
 * older news never replaces newer. Source: docs/spec/api.md 6.5.
 */
import "./engine-first";
import {
  BAD_JSON,
  lastRefusal,
  OK,
  OUT_OF_ORDER,
  PARTIAL_LINE,
  UNREADABLE_OBJECT,
  WRONG_DOCUMENT,
} from "../../assembly/abi/codes";
import { configureFrom } from "../../assembly/model/configuration";
import {
  listBegin,
  listEnd,
  page,
  streamLost,
  takeAnswer,
  takePodList,
  watchLines,
} from "../../assembly/ingest/documents";
import {
  allSynced,
  findSource,
  lowestVersion,
  relist,
  RESOURCE_JOBS,
  RESOURCE_PODS,
  setSource,
  Source,
  sourceOf,
} from "../../assembly/model/sources";
import { blobAt, blobSize } from "../../assembly/memory/blob";
import { findJob, Job, jobCount } from "../../assembly/model/job";
import { findPod, Pod, podCount } from "../../assembly/model/pod";
import { has, PHASE_RUNNING, PHASE_SUCCEEDED, POD_ABANDONED } from "../../assembly/model/pod-state";
import { waitingCount } from "../../assembly/lifecycle/waiting-pods";
import { nextOrphan, orphanDone } from "../../assembly/queue/orphan-queue";
import { setNow } from "../../assembly/time/now";
import { blobOfText, textAt } from "./support";

const JOBS: u32 = 0;
const PODS: u32 = 1;
const PODS_OF_X: u32 = 2;
const FINALIZER = '"finalizers":["batch.kubernetes.io/job-tracking"]';

let version: u64 = 1000;

/** The sources of these specs; the engine takes one configuration. Two of them show the same, as selections may. */
function configureOnce(): void {
  const text = blobOfText('{"sources":[{"id":0,"resource":"jobs"},{"id":1,"resource":"pods"}]}');
  assert(configureFrom(blobAt(text), blobSize(text)) == OK);
  setSource(2, RESOURCE_PODS, blobOfText("x"), false);
  setNow(1767323045678);
}

function source(id: u32): Source {
  return findSource(id)!;
}

// The pages of these specs are of their source's kind unless they say another.
function takePage(id: u32, text: string): i32 {
  const blob = blobOfText(text.replace('"kind":"List"', id == JOBS ? '"kind":"JobList"' : '"kind":"PodList"'));
  return page(source(id), id, blobAt(blob), blobSize(blob));
}

function takeLines(id: u32, text: string): i32 {
  const blob = blobOfText(text);
  return watchLines(source(id), id, blobAt(blob), blobSize(blob));
}

function listText(items: string, at: u64 = ++version): string {
  return '{"kind":"List","metadata":{"resourceVersion":"' + at.toString() + '"},"items":[' + items + "]}";
}

/** A whole list of one page. */
function list(id: u32, items: string, at: u64 = ++version): i32 {
  listBegin(source(id));
  takePage(id, listText(items, at));
  return listEnd(source(id), id);
}

function listEverything(jobs: string, pods: string): void {
  list(JOBS, jobs);
  list(PODS, pods);
  list(PODS_OF_X, "");
}

function line(type: string, object: string): string {
  return '{"type":"' + type + '","object":' + object + "}\n";
}

function job(name: string, at: u64 = ++version, extra: string = "", uid: string = ""): string {
  return (
    '{"kind":"Job","metadata":{"name":"' +
    name +
    '","namespace":"d","uid":"' +
    (uid == "" ? "uid-" + name : uid) +
    '","resourceVersion":"' +
    at.toString() +
    '","generation":1},"spec":{"template":{}}' +
    extra +
    "}"
  );
}

function pod(
  name: string,
  owner: string,
  at: u64 = ++version,
  phase: string = "Running",
  metadata: string = FINALIZER,
): string {
  const reference =
    owner == ""
      ? ""
      : ',"ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"' +
        owner +
        '","uid":"uid-' +
        owner +
        '","controller":true}]';
  return (
    '{"kind":"Pod","metadata":{"name":"' +
    name +
    '","namespace":"d","uid":"uid-' +
    name +
    '","resourceVersion":"' +
    at.toString() +
    '",' +
    metadata +
    reference +
    '},"status":{"phase":"' +
    phase +
    '"}}'
  );
}

function jobNamed(name: string): Job | null {
  const namespace = blobOfText("d");
  const blob = blobOfText(name);
  return findJob(blobAt(namespace), blobSize(namespace), blobAt(blob), blobSize(blob));
}

function podNamed(name: string): Pod | null {
  const blob = blobOfText("uid-" + name);
  return findPod(blobAt(blob), blobSize(blob));
}

function refusal(): string {
  return textAt(lastRefusal().start, lastRefusal().length);
}

/** Takes what waits in the queue of finalizers to remove out of it, and counts it. */
function drainOrphans(): i32 {
  let count = 0;
  for (let orphan = nextOrphan(); orphan !== null; orphan = nextOrphan()) {
    orphanDone(orphan);
    ++count;
  }
  return count;
}

describe("sources", () => {
  configureOnce();

  it("are not synced before each was listed", () => {
    expect(allSynced()).toBe(false);
    list(JOBS, "");
    list(PODS, "");
    expect(allSynced()).toBe(false);
    list(PODS_OF_X, "");
    expect(allSynced()).toBe(true);
  });

  it("are found by what they show", () => {
    expect(findSource(3) === null).toBe(true);
    expect(findSource(64) === null).toBe(true);
    expect(sourceOf(RESOURCE_JOBS, blobOfText("d"))).toBe(u8(JOBS));
    expect(sourceOf(RESOURCE_PODS, blobOfText("d"))).toBe(u8(PODS));
    expect(sourceOf(RESOURCE_PODS, blobOfText("x"))).toBe(u8(PODS_OF_X));
  });

  it("are as far as the slowest that shows a namespace", () => {
    const slow = source(PODS_OF_X).version;
    takeLines(PODS, line("ADDED", pod("fast", "absent")));
    expect(source(PODS).version).toBe(version);
    expect(lowestVersion(RESOURCE_PODS, blobOfText("x"))).toBe(slow);
    expect(lowestVersion(RESOURCE_PODS, blobOfText("d"))).toBe(version);
    takeLines(PODS, line("DELETED", pod("fast", "absent")));
  });

  it("can be asked for a new list, where they show a namespace", () => {
    relist(RESOURCE_PODS, blobOfText("d"));
    expect(source(PODS).needsList && !source(PODS_OF_X).needsList).toBe(true);
    relist(RESOURCE_PODS, blobOfText("x"));
    expect(source(PODS).needsList && source(PODS_OF_X).needsList).toBe(true);
    expect(source(JOBS).needsList).toBe(false);
    list(PODS, "");
    list(PODS_OF_X, "");
    expect(source(PODS).needsList).toBe(false);
  });
});

describe("a list", () => {
  it("of several pages shows everything, and what it does not show is gone", () => {
    listEverything(job("a"), pod("p1", "a"));
    listBegin(source(PODS));
    takePage(PODS, listText(pod("p2", "a")));
    takePage(PODS, listText(pod("p3", "a"), version));
    expect(podCount()).toBe(3);
    expect(listEnd(source(PODS), PODS)).toBe(OK);
    expect(podNamed("p1") === null).toBe(true);
    expect(podNamed("p3")!.job === jobNamed("a")).toBe(true);
    expect(jobNamed("a")!.active).toBe(2);
    listEverything("", "");
    expect(podCount()).toBe(0);
    expect(jobCount()).toBe(0);
  });

  it("leaves what is newer than it, and what another source shows", () => {
    listEverything("", "");
    const at = ++version;
    takeLines(PODS, line("ADDED", pod("newer", "absent")));
    const newest = source(PODS).version;
    listBegin(source(PODS));
    // A list that is as new as its source, but was read before the pod was made, is not to be had; a list that is older
    // is refused.
    takePage(PODS, listText("", at));
    expect(listEnd(source(PODS), PODS)).toBe(OUT_OF_ORDER);
    expect(source(PODS).needsList).toBe(true);
    expect(source(PODS).version).toBe(newest);
    list(PODS_OF_X, "");
    expect(podNamed("newer") !== null).toBe(true);
    list(PODS, "");
    expect(podNamed("newer") === null).toBe(true);
  });

  it("in the form of a watch ends with its bookmark", () => {
    listEverything("", pod("old", "absent"));
    listBegin(source(PODS));
    const reached = source(PODS).reached;
    takeLines(PODS, line("ADDED", pod("new", "absent")));
    expect(podCount()).toBe(2);
    expect(source(PODS).reached).toBe(reached, "an object of the list says nothing of the others");
    const at = ++version;
    takeLines(
      PODS,
      line(
        "BOOKMARK",
        '{"kind":"Pod","metadata":{"resourceVersion":"' +
          at.toString() +
          '","annotations":{"other":"x","k8s.io/initial-events-end":"true"}}}',
      ),
    );
    expect(podNamed("old") === null).toBe(true);
    expect(podNamed("new") !== null).toBe(true);
    expect(source(PODS).needsList).toBe(false);
    expect(source(PODS).version).toBe(at);
    expect(source(PODS).reached).toBe(at);
    takeLines(PODS, line("MODIFIED", pod("new", "absent")));
    expect(source(PODS).reached).toBe(version);
    list(PODS, "");
  });

  it("can be given up and begun again", () => {
    listEverything("", pod("kept", "absent"));
    listBegin(source(PODS));
    streamLost(source(PODS));
    expect(source(PODS).needsList).toBe(true);
    expect(takePage(PODS, listText(""))).toBe(OUT_OF_ORDER);
    listBegin(source(PODS));
    takePage(PODS, listText(""));
    listBegin(source(PODS));
    expect(listEnd(source(PODS), PODS)).toBe(OUT_OF_ORDER, "nothing of the list before counts");
    expect(podNamed("kept") !== null).toBe(true);
    list(PODS, "");
  });

  it("keeps its continue token until the next page", () => {
    listBegin(source(JOBS));
    takePage(
      JOBS,
      '{"kind":"JobList","metadata":{"resourceVersion":"' +
        (++version).toString() +
        '","continue":"to\\u006ben"},"items":[]}',
    );
    const token = source(JOBS).continueToken;
    expect(textAt(blobAt(token), blobSize(token))).toBe("token");
    takePage(JOBS, listText("", version));
    expect(source(JOBS).continueToken).toBe(0);
    listEnd(source(JOBS), JOBS);
  });
});

describe("a list", () => {
  it("that is broken is over", () => {
    listBegin(source(JOBS));
    expect(
      takePage(JOBS, '{"kind":"JobList","metadata":{"resourceVersion":"' + (++version).toString() + '"},"items":[1,'),
    ).toBe(BAD_JSON);
    expect(refusal()).toBe("a page is not JSON: expected an object (at byte 65)");
    expect(listEnd(source(JOBS), JOBS)).toBe(OUT_OF_ORDER);
    listBegin(source(JOBS));
    expect(takePage(JOBS, '{"kind":"JobList","items":[]}')).toBe(WRONG_DOCUMENT);
    expect(refusal()).toBe("a list has no metadata.resourceVersion, or one that is no decimal number");
    listEverything("", "");
  });

  it("that is none says what it is, and what it must be", () => {
    listBegin(source(PODS));
    expect(takePage(PODS, '{"kind":"Status","apiVersion":"v1","metadata":{},"code":410}')).toBe(WRONG_DOCUMENT);
    expect(refusal()).toBe("a list is a Status of v1: it must be a PodList of v1");
    listBegin(source(JOBS));
    expect(takePage(JOBS, "null")).toBe(WRONG_DOCUMENT);
    expect(refusal()).toBe("a list has no kind: it must be a JobList of batch/v1");
    listBegin(source(JOBS));
    expect(takePage(JOBS, '{"kind":"JobList","metadata":{"resourceVersion":"7"},"items":{}}')).toBe(WRONG_DOCUMENT);
    expect(refusal()).toBe("a list has no items: it must have an array of them");
    expect(source(JOBS).needsList).toBe(true);
    listEverything("", "");
  });

  it("whose pages are of several versions is as old as the oldest: a watch from there shows what the others missed", () => {
    listEverything("", "");
    listBegin(source(PODS));
    const oldest = version + 10;
    takePage(PODS, listText(pod("p1", "absent"), oldest));
    takePage(PODS, listText(pod("p2", "absent"), oldest + 3));
    expect(listEnd(source(PODS), PODS)).toBe(OK);
    expect(source(PODS).version).toBe(oldest);
    version = oldest + 10;
    listEverything("", "");
  });

  it("takes every object but the one that cannot be read", () => {
    listEverything("", "");
    listBegin(source(JOBS));
    expect(
      takePage(
        JOBS,
        listText(
          job("a") +
            "," +
            job("b", ++version, ',"status":{"active":-1}') +
            ',{"metadata":{"name":"absent"}},' +
            job("c"),
        ),
      ),
    ).toBe(UNREADABLE_OBJECT);
    expect(refusal().startsWith("status.active: out of range (at byte ")).toBe(true);
    listEnd(source(JOBS), JOBS);
    expect(jobCount()).toBe(3);
    expect(jobNamed("a")!.unreadable).toBe(0);
    expect(jobNamed("b")!.unreadable != 0).toBe(true);
    listEverything("", "");
  });
});

describe("watch lines", () => {
  it("are taken one by one, with empty ones between them", () => {
    listEverything("", "");
    expect(
      takeLines(JOBS, line("ADDED", job("a")) + "\n" + line("MODIFIED", job("b")) + line("DELETED", job("a"))),
    ).toBe(OK);
    expect(jobNamed("a") === null).toBe(true);
    expect(jobNamed("b") !== null).toBe(true);
    expect(source(JOBS).version).toBe(version);
    expect(takeLines(JOBS, "")).toBe(OK);
    expect(takeLines(JOBS, "\n")).toBe(OK);
    expect(takeLines(JOBS, '{"type":"ADDED"')).toBe(PARTIAL_LINE);
    listEverything("", "");
  });

  it("may name the type last", () => {
    expect(takeLines(JOBS, '{"object":' + job("a") + ',"x":{},"type":"ADDED"}\n')).toBe(OK);
    expect(jobNamed("a") !== null).toBe(true);
    expect(takeLines(JOBS, '{"object":' + job("a") + ',"type":"DELETED","y":[]}\n')).toBe(OK);
    expect(jobNamed("a") === null).toBe(true);
  });

  it("move the version on with bookmarks, and never back", () => {
    const at = ++version;
    takeLines(JOBS, line("BOOKMARK", '{"kind":"Job","metadata":{"resourceVersion":"' + at.toString() + '"}}'));
    expect(source(JOBS).version).toBe(at);
    takeLines(JOBS, line("BOOKMARK", '{"kind":"Job","metadata":{"resourceVersion":"5"}}'));
    expect(source(JOBS).version).toBe(at);
  });

  it("that are broken ask for a list, and what came before them counts", () => {
    expect(takeLines(JOBS, line("ADDED", job("a")) + '{"type":"ADDED"}\n' + line("ADDED", job("b")))).toBe(BAD_JSON);
    expect(source(JOBS).needsList).toBe(true);
    expect(jobNamed("a") !== null).toBe(true);
    expect(jobNamed("b") === null).toBe(true);
    expect(takeLines(JOBS, '{"type":"SOMETHING","object":{}}\n')).toBe(BAD_JSON);
    listEverything("", "");
  });

  it("ask for a list after an ERROR event", () => {
    expect(takeLines(PODS, line("ERROR", '{"kind":"Status","code":410}'))).toBe(OK);
    expect(source(PODS).needsList).toBe(true);
    listEverything("", "");
  });
});

describe("a pod", () => {
  it("changes with newer versions only", () => {
    listEverything(job("a"), "");
    const at = ++version;
    takeLines(PODS, line("ADDED", pod("p", "a", at + 5, "Running")));
    expect(podNamed("p")!.phase).toBe(PHASE_RUNNING);
    takeLines(PODS, line("MODIFIED", pod("p", "a", at + 4, "Succeeded")));
    takeLines(PODS, line("MODIFIED", pod("p", "a", at + 5, "Succeeded")));
    expect(podNamed("p")!.phase).toBe(PHASE_RUNNING);
    takeLines(PODS, line("MODIFIED", pod("p", "a", at + 6, "Succeeded")));
    expect(podNamed("p")!.phase).toBe(PHASE_SUCCEEDED);
    expect(jobNamed("a")!.finishedCount).toBe(1);
    version = at + 10;
    listEverything("", "");
    drainOrphans();
  });

  it("waits for its Job, and goes to it", () => {
    listEverything("", pod("p", "late") + "," + pod("q", "late", ++version, "Running", '"finalizers":[]'));
    expect(waitingCount()).toBe(2);
    takeLines(JOBS, line("ADDED", job("late", ++version, "", "another-uid")));
    expect(waitingCount()).toBe(2);
    takeLines(JOBS, line("DELETED", job("late", ++version, "", "another-uid")));
    takeLines(JOBS, line("ADDED", job("late")));
    expect(waitingCount()).toBe(0);
    expect(jobNamed("late")!.podCount).toBe(2);
    expect(drainOrphans()).toBe(0);
    listEverything("", "");
    drainOrphans();
  });

  it("without a Job is forgotten when it is over and holds no finalizer", () => {
    listEverything("", pod("p", "absent", ++version, "Succeeded", '"finalizers":[]'));
    expect(podCount()).toBe(0);
  });

  it("without a controller is kept until it is deleted, for a Job may adopt it", () => {
    listEverything("", pod("p", "", ++version, "Succeeded", '"finalizers":[]'));
    expect(podCount()).toBe(1);
    listEverything(
      "",
      pod("p", "", ++version, "Succeeded", '"finalizers":[],"deletionTimestamp":"2026-01-01T00:00:00Z"'),
    );
    expect(podCount()).toBe(0);
  });

  it("loses its finalizer when it has no controller", () => {
    listEverything("", pod("p", ""));
    expect(drainOrphans()).toBe(1);
    listEverything("", "");
  });

  it("keeps a finalizer that another kind of controller looks after", () => {
    const reference =
      ',"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"r","uid":"r","controller":true}]';
    const other =
      ',"ownerReferences":[{"apiVersion":"example.com/v1","kind":"Job","name":"j","uid":"j","controller":true}]';
    listEverything(
      "",
      pod("p", "", ++version, "Running", FINALIZER + reference) +
        "," +
        pod("q", "", ++version, "Running", FINALIZER + other),
    );
    expect(podCount()).toBe(0);
    expect(drainOrphans()).toBe(0);
  });

  it("that cannot be read stops its Job until it can be read or is gone", () => {
    listEverything(job("a"), "");
    const broken = FINALIZER + ',"creationTimestamp":"yesterday"';
    expect(takeLines(PODS, line("ADDED", pod("p", "a", ++version, "Running", broken)))).toBe(UNREADABLE_OBJECT);
    expect(jobNamed("a")!.unreadable != 0).toBe(true);
    takeLines(PODS, line("ADDED", pod("q", "a")));
    expect(jobNamed("a")!.unreadable != 0).toBe(true, "another pod changes nothing about it");
    takeLines(PODS, line("MODIFIED", pod("p", "a")));
    expect(jobNamed("a")!.unreadable).toBe(0);
    takeLines(PODS, line("MODIFIED", pod("p", "a", ++version, "Running", broken)));
    expect(jobNamed("a")!.unreadable != 0).toBe(true);
    takeLines(PODS, line("DELETED", pod("p", "a", ++version, "Running", broken)));
    expect(jobNamed("a")!.unreadable).toBe(0);
    listEverything("", "");
    drainOrphans();
  });
});

describe("a Job", () => {
  it("that is deleted gives its pods up: they lose their finalizer", () => {
    listEverything(job("a"), pod("p", "a") + "," + pod("q", "a", ++version, "Running", '"finalizers":[]'));
    expect(jobNamed("a")!.podCount).toBe(2);
    takeLines(JOBS, line("DELETED", job("a")));
    expect(podCount()).toBe(1);
    expect(has(podNamed("p")!, POD_ABANDONED)).toBe(true);
    expect(drainOrphans()).toBe(1);
    listEverything("", "");
  });

  it("that was recreated under its name is another Job", () => {
    listEverything(job("a"), pod("p", "a"));
    takeLines(JOBS, line("ADDED", job("a", ++version, "", "second")));
    const second = jobNamed("a")!;
    expect(textAt(blobAt(second.uid), blobSize(second.uid))).toBe("second");
    expect(second.podCount).toBe(0);
    expect(drainOrphans()).toBe(1);
    takeLines(JOBS, line("DELETED", job("a", ++version)));
    expect(jobNamed("a") === second).toBe(true, "the first one's deletion came late");
    listEverything("", "");
  });

  it("that has finished keeps its result and nothing else", () => {
    listEverything(job("a"), pod("p", "a"));
    takeLines(
      JOBS,
      line(
        "MODIFIED",
        job(
          "a",
          ++version,
          ',"status":{"conditions":[{"type":"Mine","status":"True"},{"type":"Complete","status":"True","message":"done"}]}',
        ),
      ),
    );
    const finished = jobNamed("a")!;
    expect(finished.finished).toBe(true);
    expect(finished.podCount).toBe(0);
    expect(finished.template + finished.completedText).toBe(0);
    expect(finished.liveCompleted === null && finished.liveBackoff === null && finished.conditions!.next === null).toBe(
      true,
    );
    expect(drainOrphans()).toBe(1);
    listEverything("", "");
  });
});

describe("an answer", () => {
  it("makes a pod known before the watch has shown it", () => {
    listEverything(job("a"), "");
    const text = blobOfText(pod("p", "a"));
    expect(takeAnswer(blobAt(text), blobSize(text), true).isTaken).toBe(true);
    expect(podNamed("p")!.source).toBe(u8(PODS));
    expect(jobNamed("a")!.active).toBe(1);
    expect(source(PODS).version < version).toBe(true, "an answer says nothing of how far the watch is");
    listEverything("", "");
    drainOrphans();
  });

  it("does not bring back what the watch has shown to be gone", () => {
    listEverything(job("a"), "");
    const at = ++version;
    takeLines(PODS, line("ADDED", pod("p", "a", at)));
    takeLines(PODS, line("DELETED", pod("p", "a", ++version)));
    const text = blobOfText(pod("p", "a", at));
    expect(takeAnswer(blobAt(text), blobSize(text), true).isTaken).toBe(true);
    expect(podNamed("p") === null).toBe(true);
    listEverything("", "");
  });

  it("makes no Job known", () => {
    const text = blobOfText(job("a"));
    expect(takeAnswer(blobAt(text), blobSize(text), false).isTaken).toBe(true);
    expect(jobCount()).toBe(0);
  });

  it("without an object is none", () => {
    const texts: string[] = ["", "<html>", "[]", "null", '{"metadata":{}}', '{"metadata":{"name":"a"'];
    for (let i = 0; i < texts.length; ++i) {
      const text = blobOfText(texts[i]);
      expect(takeAnswer(blobAt(text), blobSize(text), true).isTaken).toBe(false, texts[i]);
      expect(takeAnswer(blobAt(text), blobSize(text), false).isTaken).toBe(false, texts[i]);
    }
  });
});

describe("the list of a Job's pods after a lost answer", () => {
  it("shows them and says how new it is", () => {
    listEverything(job("a"), "");
    const text = blobOfText(listText(pod("p", "a"), version + 10).replace("List", "PodList"));
    version += 10;
    expect(takePodList(blobAt(text), blobSize(text)).version).toBe(version);
    expect(jobNamed("a")!.active).toBe(1);
    listEverything("", "");
    drainOrphans();
  });

  it("is 0 when it cannot be read", () => {
    const texts: string[] = [
      "",
      "{}",
      '{"items":[]}',
      '{"kind":"PodList","metadata":{"resourceVersion":"7"},"items":[',
    ];
    for (let i = 0; i < texts.length; ++i) {
      const text = blobOfText(texts[i]);
      expect(takePodList(blobAt(text), blobSize(text)).version).toBe(0, texts[i]);
    }
  });
});
