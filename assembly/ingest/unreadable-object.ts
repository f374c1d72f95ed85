/** A Job stops when an object of it cannot be read. It goes on when the object can be read again, or is gone. */
import { resumeJob } from "../lifecycle/unreadable";
import { noteGarbage } from "../memory/garbage";
import { blobIs, blobOf, freeBlob } from "../memory/blob";
import { Job } from "../model/job";
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
  unreadableText.byte(0x29);
  job.unreadable = blobOf(unreadableText.start, unreadableText.length);
  job.unreadableUid = blobOf(facts.uid, facts.uidSize);
  job.unreadableEpoch = origin.listEpoch;
  trace.record(job, trace.UNREADABLE, job.unreadable);
}

/** The object can be read, or is gone. If it could not be read before, its Job goes on. */
export function unblock(job: Job, facts: ObjectFacts): void {
  if (job.unreadable != 0 && blobIs(job.unreadableUid, facts.uid, facts.uidSize)) resumeJob(job);
}
