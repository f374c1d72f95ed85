/** A Job stops when one of its objects cannot be read. It continues when the object can be read again, or is gone. */
import { enqueueNow } from "../queue/job-queue";
import { noteGarbage } from "../memory/garbage";
import { blobIs, blobOf, dropBlob, freeBlob } from "../memory/blob";
import { Job } from "../model/job";
import { CLOSE_PARENTHESIS } from "../json/punctuation";
import { Writer } from "../json/writer";
import { ObjectFacts } from "./object-facts";
import { Origin } from "./origin";
import * as trace from "../trace";

const unreadableText = new Writer(256);

/** The object cannot be read, so its Job stops. */
export function block(job: Job, facts: ObjectFacts, origin: Origin): void {
  freeBlob(job.unreadable);
  freeBlob(job.unreadableUid);
  noteGarbage();
  unreadableText.reset();
  if (blobIs(job.uid, facts.uid, facts.uidSize)) {
    unreadableText.text("this Job");
  } else {
    unreadableText.text("pod ");
    unreadableText.bytes(facts.name, facts.nameSize);
    unreadableText.text(" of this Job");
  }
  unreadableText.text(" cannot be read (");
  unreadableText.text(facts.problem!);
  unreadableText.byte(CLOSE_PARENTHESIS);
  job.unreadable = blobOf(unreadableText.start, unreadableText.length);
  job.unreadableUid = blobOf(facts.uid, facts.uidSize);
  job.unreadableEpoch = origin.listEpoch;
  trace.record(job, trace.UNREADABLE, job.unreadable);
}

/** The object can be read, or is gone. If it could not be read before, its Job continues. */
export function unblock(job: Job, facts: ObjectFacts): void {
  if (job.unreadable != 0 && blobIs(job.unreadableUid, facts.uid, facts.uidSize)) resumeJob(job);
}

/** The object can be read now, or was deleted. The Job continues. */
export function resumeJob(job: Job): void {
  job.unreadable = dropBlob(job.unreadable);
  job.unreadableUid = dropBlob(job.unreadableUid);
  enqueueNow(job);
}
