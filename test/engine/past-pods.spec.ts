/**
 * The back-off after a restart, from pods in any order, whether their Job was listed before them or after. Rules:
 * docs/spec/controller.md 3.2.
 */
import "./engine-first";
import { BackoffRecord } from "../../assembly/model/backoff";
import { blobAt, blobSize } from "../../assembly/memory/blob";
import { addJob, Job, removeJob } from "../../assembly/model/job";
import { acquireName } from "../../assembly/memory/names";
import { recallBackoffs, recallPod } from "../../assembly/lifecycle/past-pods";
import { blobOfText } from "./support";

const FIRST_LIST: u32 = 1;
const SECOND_LIST: u32 = 2;

function newJob(name: string): Job {
  const namespace = blobOfText("default");
  return addJob(acquireName(blobAt(namespace), blobSize(namespace)), blobOfText(name), blobOfText("uid-" + name));
}

function recall(owner: string, succeeded: bool, finishMs: f64, listEpoch: u32 = FIRST_LIST): void {
  const uid = blobOfText("uid-" + owner);
  recallPod(blobAt(uid), blobSize(uid), listEpoch, succeeded, finishMs);
}

/** `failures@lastFailureMs` of the Job once everything is listed; the Job is gone afterwards. */
function recalled(job: Job): string {
  recallBackoffs();
  const record: BackoffRecord = job.backoff;
  const text =
    record.failures.toString() + (record.failures == 0 ? "" : "@" + i64(record.lastFailureTimeMs).toString());
  removeJob(job);
  return text;
}

describe("past pods", () => {
  it("count as failures from the latest success on, in any order", () => {
    recall("a", false, 5000);
    recall("a", false, 1000);
    recall("a", true, 2000);
    recall("a", false, 3000);
    recall("a", false, 2000);
    expect(recalled(newJob("a"))).toBe("2@5000");
  });

  it("belong to their owner alone", () => {
    const job = newJob("a");
    recall("b", false, 5000);
    expect(recalled(job)).toBe("0");
  });

  it("of a list that was given up do not count beside those of the next", () => {
    recall("a", false, 1000);
    recall("a", true, 9000);
    recall("a", false, 1000, SECOND_LIST);
    expect(recalled(newJob("a"))).toBe("1@1000");
  });

  it("are forgotten with the first recall", () => {
    recall("a", false, 1000);
    recallBackoffs();
    expect(recalled(newJob("a"))).toBe("0");
  });

  it("are remembered up to sixteen failures, the latest ones", () => {
    for (let i = 40; i > 0; --i) recall("a", false, f64(i) * 1000);
    recall("a", true, 30000);
    expect(recalled(newJob("a"))).toBe("10@40000");
    for (let i = 1; i <= 40; ++i) recall("a", false, f64(i) * 1000);
    expect(recalled(newJob("a"))).toBe("16@40000");
  });
});
