/** Pods that wait for their Job: found by its UID, and no more than there is room for. */
import "./engine-first";
import { blobAt, blobOf, blobSize } from "../../assembly/model/blob";
import { addJob, detachPod, Job, removeJob } from "../../assembly/model/job";
import { freed, zeroed } from "../../assembly/model/memory";
import { acquireName } from "../../assembly/model/names";
import { addPod, Pod, removePod } from "../../assembly/model/pod";
import { addWaiting, adoptWaiting, MAX_WAITING_PODS, removeWaiting, waitingCount } from "../../assembly/model/waiting-pods";
import { blobOfText } from "./support";

function jobOf(name: string): Job {
  const namespace = blobOfText("default");
  return addJob(acquireName(blobAt(namespace), blobSize(namespace)), blobOfText(name), blobOfText("uid-" + name));
}

function waitingPod(uid: string, ownerUid: string): Pod {
  const namespace = blobOfText("default");
  const pod = addPod(blobOfText(uid), blobOfText(uid), acquireName(blobAt(namespace), blobSize(namespace)));
  if (ownerUid != "") {
    const owner = blobOfText(ownerUid);
    pod.ownerUid = blobOf(blobAt(owner), blobSize(owner));
  }
  addWaiting(pod);
  return pod;
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

  it("are forgotten beyond the limit, and the next Job is told so, once", () => {
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
    freed<Pod>(first!);
    removeJob(job);
  });
});
