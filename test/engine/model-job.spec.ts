/**
 * Pod records and the counters of a Job against a naive walk: whatever happens to pods, the counters say what a look at
 * every pod would say.
 */
import "./engine-first";
import { NO_COMPLETIONS, NO_INDEX } from "../../assembly/model/absent";
import { blobAt, blobSize } from "../../assembly/memory/blob";
import {
  addJob,
  afterChange,
  attachPod,
  awaitsRemoval,
  beforeChange,
  detachPod,
  findJob,
  forEachJob,
  Job,
  jobCount,
  keepIndexes,
  pinJob,
  removeJob,
  unpinJob,
} from "../../assembly/model/job";
import {
  isCompletedStored,
  refreshCompleted,
  refreshFailed,
  takeIndexTexts,
} from "../../assembly/model/stored-indexes";
import { acquireName } from "../../assembly/memory/names";
import { addPod, findPod, forEachPod, pin, Pod, podCount, removePod, unpin } from "../../assembly/model/pod";
import {
  has,
  holdsFinalizer,
  isActive,
  isFailed,
  isTerminating,
  PHASE_FAILED,
  PHASE_PENDING,
  PHASE_RUNNING,
  PHASE_SUCCEEDED,
  POD_DELETING,
  POD_FINALIZER,
  POD_FINALIZER_REMOVED,
  POD_GONE,
  POD_REMOVAL_REQUESTED,
} from "../../assembly/model/pod-state";
import { blobOfText, Random, textAt } from "./support";

function nameOf(text: string): usize {
  const blob = blobOfText(text);
  return acquireName(blobAt(blob), blobSize(blob));
}

function newJob(name: string): Job {
  return addJob(nameOf("default"), blobOfText(name), blobOfText("uid-" + name));
}

function newPod(uid: string): Pod {
  return addPod(blobOfText(uid), blobOfText("name-" + uid), nameOf("default"));
}

function lookUp(uid: string): Pod | null {
  const blob = blobOfText(uid);
  return findPod(blobAt(blob), blobSize(blob));
}

function lookUpJob(namespace: string, name: string): Job | null {
  const a = blobOfText(namespace);
  const b = blobOfText(name);
  return findJob(blobAt(a), blobSize(a), blobAt(b), blobSize(b));
}

/** Gives the pod other facts, as an event would. */
function shuffle(pod: Pod, random: Random): void {
  pod.phase = u8(random.below(5));
  pod.ready = random.chance(50);
  pod.restarts = random.below(4);
  pod.completionIndex = random.chance(10) ? NO_INDEX : random.below(50);
  pod.flags = 0;
  if (random.chance(80)) pod.flags |= POD_FINALIZER;
  if (random.chance(20)) pod.flags |= POD_DELETING;
  if (random.chance(20)) pod.flags |= POD_FINALIZER_REMOVED;
  if (random.chance(20)) pod.flags |= POD_REMOVAL_REQUESTED;
}

/** The number of counters that say something else than the pods of the Job. */
function wrongCounters(job: Job): i32 {
  let pods = 0;
  let active = 0;
  let ready = 0;
  let terminating = 0;
  let restarts = 0;
  let holding = 0;
  let finished = 0;
  let withoutIndex = 0;
  const held = new StaticArray<i32>(50);
  let pod = job.pods;
  while (pod !== null) {
    ++pods;
    if (isActive(pod)) {
      ++active;
      if (pod.ready) ++ready;
      if (pod.completionIndex == NO_INDEX) ++withoutIndex;
      else ++held[pod.completionIndex];
    }
    if (isTerminating(pod)) ++terminating;
    if (pod.phase == PHASE_PENDING || pod.phase == PHASE_RUNNING) restarts += pod.restarts;
    if (awaitsRemoval(pod)) {
      ++holding;
      if (pod.phase == PHASE_SUCCEEDED || isFailed(pod, false)) ++finished;
    }
    pod = pod.next;
  }
  let duplicates = 0;
  let wrong = 0;
  for (let i = 0; i < 50; ++i) {
    duplicates += max(0, held[i] - 1);
    if (job.indexes!.isHeld(i) != held[i] > 0) ++wrong;
  }
  let listed = 0;
  pod = job.firstFinished;
  while (pod !== null) {
    if (!awaitsRemoval(pod)) ++wrong;
    ++listed;
    pod = pod.nextFinished;
  }
  wrong +=
    i32(job.podCount != pods) +
    i32(job.active != active) +
    i32(job.ready != ready) +
    i32(job.terminating != terminating);
  wrong +=
    i32(job.restarts != restarts) +
    i32(job.holding != holding) +
    i32(job.finishedCount != finished) +
    i32(listed != finished);
  return wrong + i32(job.indexes!.duplicates != duplicates) + i32(job.indexes!.withoutIndex != withoutIndex);
}

describe("the facts of a pod", () => {
  it("make it active, terminating or failed", () => {
    const pod = newPod("facts");
    expect(isActive(pod)).toBe(true, "any phase that is not known counts as active");
    pod.flags |= POD_DELETING;
    expect(isActive(pod)).toBe(false);
    expect(isTerminating(pod)).toBe(true);
    expect(isFailed(pod, false)).toBe(true, "deleted before it ended");
    expect(isFailed(pod, true)).toBe(false, "only a pod whose phase is Failed is replaced");
    pod.phase = PHASE_SUCCEEDED;
    expect(isTerminating(pod)).toBe(false);
    expect(isFailed(pod, false)).toBe(false);
    pod.phase = PHASE_FAILED;
    pod.flags = 0;
    expect(isFailed(pod, false)).toBe(true);
    pod.flags = POD_FINALIZER;
    expect(holdsFinalizer(pod)).toBe(true);
    pod.flags |= POD_FINALIZER_REMOVED;
    expect(holdsFinalizer(pod)).toBe(false);
    removePod(pod);
  });

  it("fit into one block of 144 bytes", () => {
    expect(offsetof<Pod>() <= 140).toBe(true);
  });
});

describe("the table of pods", () => {
  it("finds each of 20,000, and none that was removed", () => {
    for (let i = 0; i < 20000; ++i) newPod("uid-" + i.toString());
    expect(podCount()).toBe(20000);
    let wrong = 0;
    for (let i = 0; i < 20000; i += 2) removePod(lookUp("uid-" + i.toString())!);
    for (let i = 0; i < 20000; ++i) {
      const pod = lookUp("uid-" + i.toString());
      if ((pod !== null) != (i % 2 == 1)) ++wrong;
      if (pod !== null && textAt(blobAt(pod.uid), blobSize(pod.uid)) != "uid-" + i.toString()) ++wrong;
    }
    expect(wrong).toBe(0);
    forEachPod((pod: Pod, _: u64) => removePod(pod), 0);
    expect(podCount()).toBe(0);
  });

  it("keeps the record of a pod that is gone while anybody holds it", () => {
    const pod = newPod("held");
    pin(pod);
    pin(pod);
    removePod(pod);
    expect(lookUp("held") === null).toBe(true);
    expect(has(pod, POD_GONE)).toBe(true);
    unpin(pod);
    expect(textAt(blobAt(pod.uid), blobSize(pod.uid))).toBe("held");
    const other = newPod("other");
    expect(other !== pod).toBe(true);
    unpin(pod);
    // The record is free now, and the next pod gets it, without anything of the old one.
    const next = newPod("next");
    expect(next === pod).toBe(true);
    expect(next.flags).toBe(0);
    expect(next.completionIndex).toBe(NO_INDEX);
    removePod(next);
    removePod(other);
  });
});

describe("the table of Jobs", () => {
  it("distinguishes names and namespaces", () => {
    const a = newJob("a");
    const other = addJob(nameOf("other"), blobOfText("a"), blobOfText("uid-other-a"));
    expect(lookUpJob("default", "a") === a).toBe(true);
    expect(lookUpJob("other", "a") === other).toBe(true);
    expect(lookUpJob("default", "b") === null).toBe(true);
    expect(a.spec.completions).toBe(NO_COMPLETIONS);
    removeJob(a);
    removeJob(other);
    expect(jobCount()).toBe(0);
  });

  it("finds each of 1,000", () => {
    for (let i = 0; i < 1000; ++i) newJob("job-" + i.toString());
    let wrong = 0;
    for (let i = 0; i < 1000; ++i) {
      if (lookUpJob("default", "job-" + i.toString()) === null) ++wrong;
    }
    forEachJob((job: Job, _: u64) => removeJob(job), 0);
    expect(wrong).toBe(0);
    expect(jobCount()).toBe(0);
  });

  it("keeps the record of a Job that is gone while anybody holds it", () => {
    const job = newJob("held");
    pinJob(job);
    removeJob(job);
    expect(lookUpJob("default", "held") === null).toBe(true);
    expect(job.gone).toBe(true);
    expect(textAt(blobAt(job.name), blobSize(job.name))).toBe("held");
    unpinJob(job);
  });
});

describe("counters", () => {
  it("say what a walk over the pods says, over 20,000 random changes", () => {
    const random = new Random(88675123);
    const job = newJob("counted");
    keepIndexes(job);
    const pods = new Array<Pod>();
    for (let i = 0; i < 200; ++i) pods.push(newPod("pod-" + i.toString()));
    let wrong = 0;
    for (let step = 0; step < 20000; ++step) {
      const pod = pods[random.below(200)];
      if (pod.job === null) {
        shuffle(pod, random);
        attachPod(job, pod);
      } else if (random.chance(30)) {
        detachPod(job, pod);
      } else {
        beforeChange(job, pod);
        shuffle(pod, random);
        afterChange(job, pod);
      }
      if (step % 20 == 0) wrong += wrongCounters(job);
    }
    wrong += wrongCounters(job);
    expect(wrong).toBe(0);
    for (let i = 0; i < 200; ++i) {
      if (pods[i].job !== null) detachPod(job, pods[i]);
      removePod(pods[i]);
    }
    expect(wrongCounters(job)).toBe(0);
    expect(job.pods === null).toBe(true);
    removeJob(job);
  });

  it("take the pods of a Job over that turns out to be Indexed", () => {
    const job = newJob("late");
    const pod = newPod("late-pod");
    pod.completionIndex = 7;
    attachPod(job, pod);
    keepIndexes(job);
    expect(job.indexes!.isHeld(7)).toBe(true);
    detachPod(job, pod);
    expect(job.indexes!.isHeld(7)).toBe(false);
    removePod(pod);
    removeJob(job);
  });
});

describe("isCompletedStored", () => {
  it("compares again when the set or the text has changed", () => {
    const job = newJob("completed");
    expect(isCompletedStored(job)).toBe(true, "both are empty");
    job.completed.add(4);
    expect(isCompletedStored(job)).toBe(false);
    takeIndexTexts(job, blobOfText("4"), 0, false);
    expect(isCompletedStored(job)).toBe(true);
    job.completed.add(5);
    expect(isCompletedStored(job)).toBe(false);
    removeJob(job);
  });
});

describe("the stored texts of indexes", () => {
  it("are read again when another client has written them", () => {
    const job = newJob("texts");
    keepIndexes(job);
    job.spec.completions = 9;
    job.completed.add(4);
    takeIndexTexts(job, blobOfText("4"), 0, false);
    expect(refreshCompleted(job)).toBe(false, "the text is what this engine knows");
    expect(refreshFailed(job)).toBe(false, "no text is an empty one");
    takeIndexTexts(job, blobOfText("4-6"), blobOfText("1"), false);
    expect(refreshCompleted(job)).toBe(true);
    expect(refreshFailed(job)).toBe(true);
    expect(job.completed.count).toBe(3);
    expect(job.failed.contains(1)).toBe(true);
    expect(refreshCompleted(job)).toBe(false, "it was just read");
    removeJob(job);
  });

  it("are read again when other indexes are in range", () => {
    const job = newJob("range");
    keepIndexes(job);
    job.spec.completions = 5;
    takeIndexTexts(job, blobOfText("4-6"), 0, false);
    expect(refreshCompleted(job)).toBe(true);
    expect(job.completed.count).toBe(1);
    job.spec.completions = 7;
    takeIndexTexts(job, blobOfText("4-6"), 0, true);
    expect(refreshCompleted(job)).toBe(true);
    expect(refreshFailed(job)).toBe(true);
    expect(job.completed.count).toBe(3);
    removeJob(job);
  });
});
