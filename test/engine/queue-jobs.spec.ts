/** When Jobs and orphaned finalizers get their turn: tokens, delays, and first come first served. */
import "./engine-first";
import { blobAt, blobSize } from "../../assembly/memory/blob";
import { forgetJob } from "../../assembly/lifecycle/retire-job";
import { addJob, Job } from "../../assembly/model/job";
import { release, zeroed } from "../../assembly/memory/records";
import { acquireName } from "../../assembly/memory/names";
import { addPod, Pod, podCount, removePod } from "../../assembly/model/pod";
import { has, POD_FINALIZER, POD_FINALIZER_REMOVED, POD_IN_ORPHAN_QUEUE } from "../../assembly/model/pod-state";
import { dueCount, firstDueMs, neverDue, popDue } from "../../assembly/queue/due-heap";
import { Due, DUE_FINALIZER, DUE_JOB } from "../../assembly/model/due";
import {
  enqueueAt,
  enqueueBatched,
  enqueueForPod,
  enqueueNow,
  enqueueRetry,
  retryDelayMs,
} from "../../assembly/queue/job-queue";
import {
  enqueueOrphan,
  makeReady,
  nextOrphan,
  Orphan,
  orphanDone,
  orphanFailed,
} from "../../assembly/queue/orphan-queue";
import { hasReadyJobs, makeJobReady, takeReadyJob } from "../../assembly/queue/ready-queue";
import { Sync } from "../../assembly/model/sync";
import { now, setNow } from "../../assembly/time/now";
import { blobOfText } from "./support";

const COALESCE_MS: f64 = 10;
const PERIOD_MS: f64 = 1000;

function jobOf(name: string): Job {
  const namespace = blobOfText("default");
  return addJob(acquireName(blobAt(namespace), blobSize(namespace)), blobOfText(name), blobOfText("uid-" + name));
}

function podOf(uid: string): Pod {
  const namespace = blobOfText("default");
  const pod = addPod(blobOfText(uid), blobOfText(uid), acquireName(blobAt(namespace), blobSize(namespace)));
  pod.flags = POD_FINALIZER;
  return pod;
}

function later(ms: f64): void {
  setNow(now() + ms);
}

/** The Job is synced: it leaves the queue. Returns how long it had to wait from now on. */
function waitOf(job: Job): f64 {
  const waitMs = job.dueMs - now();
  neverDue(job);
  return waitMs;
}

describe("a Job", () => {
  setNow(1000000);

  it("is due at once when its spec has changed", () => {
    const job = jobOf("a");
    enqueueNow(job);
    expect(job.dueKind).toBe(DUE_JOB);
    expect(firstDueMs()).toBe(now());
    expect(popDue(now()) === changetype<Due>(changetype<usize>(job))).toBe(true);
    forgetJob(job);
  });

  it("is due almost at once for the first pod events, and then once a period", () => {
    const job = jobOf("b");
    for (let i = 0; i < 4; ++i) {
      enqueueBatched(job);
      expect(waitOf(job)).toBe(COALESCE_MS);
    }
    enqueueBatched(job);
    expect(waitOf(job)).toBe(PERIOD_MS);
    later(PERIOD_MS);
    enqueueBatched(job);
    expect(waitOf(job)).toBe(PERIOD_MS, "the sync that waited for a token has taken it");
    later(PERIOD_MS + 500);
    enqueueBatched(job);
    expect(waitOf(job)).toBe(500, "what is left of the period");
    later(500 + PERIOD_MS);
    enqueueBatched(job);
    expect(waitOf(job)).toBe(COALESCE_MS, "a token has come back");
    later(60000);
    for (let i = 0; i < 4; ++i) {
      enqueueBatched(job);
      expect(waitOf(job)).toBe(COALESCE_MS, "never more than the burst");
    }
    enqueueBatched(job);
    expect(waitOf(job)).toBe(PERIOD_MS);
    forgetJob(job);
  });

  it("takes no token for events that come while it waits", () => {
    const job = jobOf("c");
    for (let i = 0; i < 100; ++i) enqueueBatched(job);
    expect(waitOf(job)).toBe(COALESCE_MS);
    for (let i = 0; i < 3; ++i) {
      enqueueBatched(job);
      expect(waitOf(job)).toBe(COALESCE_MS);
    }
    forgetJob(job);
  });

  it("owes nothing for a delayed sync that ran early", () => {
    const job = jobOf("i");
    for (let i = 0; i < 4; ++i) {
      enqueueBatched(job);
      waitOf(job);
    }
    for (let i = 0; i < 4; ++i) {
      enqueueBatched(job);
      expect(waitOf(job)).toBe(PERIOD_MS);
      later(20);
    }
    forgetJob(job);
  });

  it("is due almost at once when its last pod is over, however busy it was, but for one that fails", () => {
    const job = jobOf("j");
    for (let i = 0; i < 4; ++i) {
      enqueueForPod(job);
      waitOf(job);
    }
    enqueueForPod(job);
    expect(waitOf(job)).toBe(PERIOD_MS, "nothing says that it had a pod");
    job.storedActive = 1;
    enqueueForPod(job);
    expect(waitOf(job)).toBe(COALESCE_MS);
    enqueueBatched(job);
    expect(waitOf(job)).toBe(PERIOD_MS, "another change than that of a pod");
    job.terminating = 1;
    enqueueForPod(job);
    expect(waitOf(job)).toBe(PERIOD_MS, "a pod still ends");
    job.terminating = 0;
    job.storedActive = 0;
    job.storedTerminating = 1;
    enqueueForPod(job);
    expect(waitOf(job)).toBe(COALESCE_MS);
    job.requeues = 1;
    enqueueForPod(job);
    expect(waitOf(job)).toBe(PERIOD_MS);
    forgetJob(job);
  });

  it("is only moved earlier", () => {
    const job = jobOf("d");
    enqueueAt(job, now() + 5000);
    enqueueAt(job, now() + 9000);
    expect(job.dueMs).toBe(now() + 5000);
    enqueueNow(job);
    expect(job.dueMs).toBe(now());
    expect(dueCount()).toBe(1);
    forgetJob(job);
    expect(dueCount()).toBe(0, "a Job that is gone waits for nothing");
  });

  it("remembers the earliest reason that comes during a sync, and stays out of the queue", () => {
    const job = jobOf("e");
    const sync = zeroed<Sync>();
    job.sync = sync;
    enqueueAt(job, now() + 5000);
    enqueueAt(job, now() + 9000);
    expect(job.syncAgain).toBe(true);
    expect(job.dueMs).toBe(now() + 5000);
    enqueueNow(job);
    expect(job.dueMs).toBe(now());
    expect(dueCount()).toBe(0);
    job.sync = null;
    release<Sync>(sync);
    forgetJob(job);
  });
});

describe("a Job", () => {
  it("that has finished is not queued", () => {
    const job = jobOf("f");
    job.finished = true;
    enqueueNow(job);
    enqueueBatched(job);
    expect(dueCount()).toBe(0);
    forgetJob(job);
  });

  it("is tried again after 1, 2, 4 … 60 seconds, or when the server says", () => {
    const job = jobOf("g");
    const expected: f64[] = [1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000];
    for (let i = 0; i < expected.length; ++i) {
      expect(enqueueRetry(job)).toBe(expected[i]);
      expect(waitOf(job)).toBe(expected[i]);
      later(expected[i]);
    }
    job.notBeforeMs = now() + 90000;
    expect(enqueueRetry(job)).toBe(90000);
    expect(waitOf(job)).toBe(90000);
    expect(retryDelayMs(i32.MAX_VALUE)).toBe(60000);
    forgetJob(job);
  });

  it("that fails again before its retry keeps the time of that retry", () => {
    const job = jobOf("h");
    enqueueRetry(job);
    later(400);
    expect(enqueueRetry(job)).toBe(600);
    expect(waitOf(job)).toBe(600);
    later(600);
    expect(enqueueRetry(job)).toBe(2000);
    forgetJob(job);
  });

  it("that the server puts off is not looked at before, whatever happens to it", () => {
    const job = jobOf("i");
    job.notBeforeMs = now() + 5000;
    enqueueNow(job);
    expect(waitOf(job)).toBe(5000);
    later(5000);
    enqueueNow(job);
    expect(waitOf(job)).toBe(0);
    forgetJob(job);
  });
});

describe("Jobs with requests", () => {
  it("take turns, and are in the queue once", () => {
    const a = jobOf("ready-a");
    const b = jobOf("ready-b");
    expect(hasReadyJobs()).toBe(false);
    expect(takeReadyJob() === null).toBe(true);
    makeJobReady(a);
    makeJobReady(b);
    makeJobReady(a);
    expect(a.pins).toBe(1);
    expect(takeReadyJob() === a).toBe(true);
    makeJobReady(a);
    expect(takeReadyJob() === b).toBe(true);
    expect(takeReadyJob() === a).toBe(true);
    expect(hasReadyJobs()).toBe(false);
    expect(a.pins).toBe(2, "the caller that takes a Job out unpins it");
    a.pins = 0;
    b.pins = 0;
    forgetJob(a);
    forgetJob(b);
  });
});

describe("finalizers without a Job", () => {
  it("are removed in order, each once", () => {
    const a = podOf("orphan-a");
    const b = podOf("orphan-b");
    enqueueOrphan(a);
    enqueueOrphan(b);
    enqueueOrphan(a);
    const first = nextOrphan()!;
    const second = nextOrphan()!;
    expect(first.pod === a).toBe(true);
    expect(second.pod === b).toBe(true);
    expect(nextOrphan() === null).toBe(true);
    orphanDone(first);
    orphanDone(second);
    expect(has(a, POD_IN_ORPHAN_QUEUE)).toBe(false);
    expect(a.pins).toBe(0);
    enqueueOrphan(a);
    orphanDone(nextOrphan()!);
    removePod(a);
    removePod(b);
  });

  it("are left where there is nothing left to remove", () => {
    const gone = podOf("orphan-gone");
    const free = podOf("orphan-free");
    const owned = podOf("orphan-owned");
    const job = jobOf("owner");
    enqueueOrphan(gone);
    enqueueOrphan(free);
    enqueueOrphan(owned);
    removePod(gone);
    free.flags |= POD_FINALIZER_REMOVED;
    owned.job = job;
    const before = podCount();
    expect(nextOrphan() === null).toBe(true);
    owned.job = null;
    removePod(free);
    removePod(owned);
    expect(podCount()).toBe(before - 2);
    forgetJob(job);
  });

  it("are tried again with the delays of Jobs", () => {
    const pod = podOf("orphan-again");
    enqueueOrphan(pod);
    const expected: f64[] = [1000, 2000, 4000];
    for (let i = 0; i < expected.length; ++i) {
      const orphan = nextOrphan()!;
      orphanFailed(orphan, 0);
      expect(nextOrphan() === null).toBe(true);
      expect(firstDueMs()).toBe(now() + expected[i]);
      later(expected[i]);
      const due = popDue(now())!;
      expect(due.dueKind).toBe(DUE_FINALIZER);
      makeReady(changetype<Orphan>(changetype<usize>(due)));
    }
    const orphan = nextOrphan()!;
    orphanFailed(orphan, 30000);
    expect(firstDueMs()).toBe(now() + 30000);
    neverDue(orphan);
    orphanDone(orphan);
    removePod(pod);
  });
});
