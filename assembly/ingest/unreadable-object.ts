/** What an object that cannot be read does to its Job: that stops, and goes on once it can be read, or is gone. */
import { resumeJob } from "../lifecycle/unreadable";
import { epoch } from "./origin";
import { noteGarbage } from "../memory/garbage";
import { freeBlob, blobIs, blobOf } from "../memory/blob";
import { Job } from "../model/job";
import { Writer } from "../json/writer";
import * as metadata from "./metadata";
import * as trace from "../trace";

const unreadableText = new Writer(256);

/** The object just read cannot be read: its Job stops. */
export function block(job: Job): void {
  freeBlob(job.unreadable);
  freeBlob(job.unreadableUid);
  noteGarbage();
  unreadableText.reset();
  if (blobIs(job.uid, metadata.uid, metadata.uidSize)) {
    unreadableText.text("this Job");
  } else {
    unreadableText.text("pod ");
    unreadableText.bytes(metadata.name, metadata.nameSize);
    unreadableText.text(" of this Job");
  }
  unreadableText.text(" cannot be read (");
  unreadableText.text(metadata.problem!);
  unreadableText.byte(0x29);
  job.unreadable = blobOf(unreadableText.start, unreadableText.length);
  job.unreadableUid = blobOf(metadata.uid, metadata.uidSize);
  job.unreadableEpoch = epoch;
  trace.record(job, trace.UNREADABLE, job.unreadable);
}

/** The object just read could not be read before: its Job goes on. */
export function unblock(job: Job): void {
  if (job.unreadable != 0 && blobIs(job.unreadableUid, metadata.uid, metadata.uidSize)) resumeJob(job);
}
