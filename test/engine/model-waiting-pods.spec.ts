/** Pods that wait for their Job: found by its UID, and no more than there is room for. */
import "./engine-first";
import { blobAt, blobOf, blobSize } from "../../assembly/memory/blob";
import { addJob, detachPod, Job, removeJob, SELECTS_BY_LABELS } from "../../assembly/model/job";
import { release, zeroed } from "../../assembly/memory/records";
import { acquireName } from "../../assembly/memory/names";
import { addPod, Pod, removePod } from "../../assembly/model/pod";
import { POD_ORPHAN } from "../../assembly/model/pod-state";
import {
  addWaiting,
  adoptWaiting,
  forEachCandidate,
  MAX_WAITING_PODS,
  removeWaiting,
  waitingCount,
} from "../../assembly/lifecycle/waiting-pods";
import { blobOfText } from "./support";

function jobOf(name: string): Job {
  const namespace = blobOfText("default");
  return addJob(acquireName(blobAt(namespace), blobSize(namespace)), blobOfText(name), blobOfText("uid-" + name));
}

function waitingPod(uid: string, ownerUid: string, flags: u32 = 0, namespaceName: string = "default"): Pod {
  const namespace = blobOfText(namespaceName);
  const pod = addPod(blobOfText(uid), blobOfText(uid), acquireName(blobAt(namespace), blobSize(namespace)));
  if (ownerUid != "") {
    const owner = blobOfText(ownerUid);
    pod.ownerUid = blobOf(blobAt(owner), blobSize(owner));
  }
  pod.flags = flags;
  addWaiting(pod);
  return pod;
}

let visited: Pod[] = [];

function candidatesOf(job: Job): Pod[] {
  visited = [];
  forEachCandidate(job, (_: Job, pod: Pod) => {
    visited.push(pod);
  });
  return visited;
}

describe("pods that wait", () => {
  it("go to their Job and to no other", () => {
    const job = jobOf("a");
    const other = jobOf("b");
    const mine = [waitingPod("p1", "uid-a"), waitingPod("p2", "uid-a")];
    const stranger = waitingPod("p3", "uid-c");
    const ownerless = waitingPod("p4", "");
    expect(waitingCount()).toBe(4);
    expect(adoptWaiting(other)).toBe(false);
    expect(other.podCount).toBe(0);
    expect(adoptWaiting(job)).toBe(false);
    expect(job.podCount).toBe(2);
    expect(waitingCount()).toBe(2);
    for (let i = 0; i < 2; ++i) {
      expect(mine[i].job === job).toBe(true);
      expect(mine[i].ownerUid).toBe(0, "the Job says that now");
      detachPod(job, mine[i]);
      removePod(mine[i]);
    }
    removeWaiting(stranger);
    removeWaiting(ownerless);
    removePod(stranger);
    removePod(ownerless);
    expect(waitingCount()).toBe(0);
    removeJob(job);
    removeJob(other);
  });

  it("leave from any place of a list", () => {
    for (let place = 0; place < 3; ++place) {
      const pods = [waitingPod("q0", "uid-x"), waitingPod("q1", "uid-x"), waitingPod("q2", "uid-x")];
      removeWaiting(pods[place]);
      removePod(pods[place]);
      const job = jobOf("x");
      adoptWaiting(job);
      expect(job.podCount).toBe(2);
      for (let i = 0; i < 3; ++i) {
        if (i == place) continue;
        detachPod(job, pods[i]);
        removePod(pods[i]);
      }
      removeJob(job);
    }
  });

  it("are shown to a Job with its own selector: those that name it, and the orphans of its namespace, each once", () => {
    const job = jobOf("s");
    job.selects = SELECTS_BY_LABELS;
    const named = waitingPod("r0", "uid-s");
    const stranger = waitingPod("r1", "uid-c");
    const elsewhere = waitingPod("r2", "", POD_ORPHAN, "elsewhere");
    // The label of the third says the UID of the Job.
    const orphans = [
      waitingPod("r3", "", POD_ORPHAN),
      waitingPod("r4", "uid-c", POD_ORPHAN),
      waitingPod("r5", "uid-s", POD_ORPHAN),
    ];
    let candidates = candidatesOf(job);
    expect(candidates.length).toBe(4);
    expect(candidates.includes(named)).toBe(true);
    for (let i = 0; i < 3; ++i) expect(candidates.includes(orphans[i])).toBe(true);
    // It can no longer be adopted, and leaves all the same.
    orphans[1].flags = 0;
    removeWaiting(orphans[1]);
    candidates = candidatesOf(job);
    expect(candidates.length).toBe(3);
    expect(candidates.includes(orphans[1])).toBe(false);
    removeWaiting(orphans[2]);
    removeWaiting(orphans[0]);
    expect(candidatesOf(job).length).toBe(1);
    removeWaiting(named);
    removeWaiting(stranger);
    removeWaiting(elsewhere);
    expect(candidatesOf(job).length).toBe(0);
    expect(waitingCount()).toBe(0);
    for (let i = 0; i < 3; ++i) removePod(orphans[i]);
    removePod(named);
    removePod(stranger);
    removePod(elsewhere);
    removeJob(job);
  });

  it("are forgotten beyond the limit, which the next Job learns once", () => {
    let first: Pod | null = null;
    for (let i = 0; i < MAX_WAITING_PODS; ++i) {
      const pod = zeroed<Pod>();
      addWaiting(pod);
      if (i == 0) first = pod;
    }
    const tooMany = zeroed<Pod>();
    expect(addWaiting(tooMany)).toBe(false);
    expect(waitingCount()).toBe(MAX_WAITING_PODS);
    removeWaiting(first!);
    expect(addWaiting(tooMany)).toBe(true);
    const job = jobOf("late");
    expect(adoptWaiting(job)).toBe(true);
    expect(adoptWaiting(job)).toBe(false);
    release<Pod>(first!);
    removeJob(job);
  });
});
