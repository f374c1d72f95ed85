/**
 * The events of a Job, by occasion: reasons and messages are upstream's, byte for byte. `decision` is the number of the
 * decision that the event reports. Source: docs/spec/controller.md section 7.
 */
import { NO_COMPLETIONS } from "../model/absent";
import { Writer } from "../json/writer";
import { blobAt, blobSize, literal } from "../memory/blob";
import { Job } from "../model/job";
import { queueEvent } from "./event-queue";

const SUCCESSFUL_CREATE = literal("SuccessfulCreate");
const FAILED_CREATE = literal("FailedCreate");
const SUCCESSFUL_DELETE = literal("SuccessfulDelete");
const FAILED_DELETE = literal("FailedDelete");
const COMPLETED = literal("Completed");
const COMPLETED_MESSAGE = literal("Job completed");
const TOO_MANY_SUCCEEDED = literal("TooManySucceededPods");
const TOO_MANY_SUCCEEDED_MESSAGE = literal("Too many succeeded pods running after completion count reached");
const SUSPENDED = literal("Suspended");
const SUSPENDED_MESSAGE = literal("Job suspended");
const RESUMED = literal("Resumed");
const RESUMED_MESSAGE = literal("Job resumed");
const WORKLOAD_CREATED = literal("WorkloadCreated");
const POD_GROUP_CREATED = literal("PodGroupCreated");
const FAILED_WORKLOAD_CREATE = literal("FailedWorkloadCreate");
const UNKNOWN_MODE = literal("UnknownCompletionMode");
const UNKNOWN_MODE_MESSAGE = literal("Skipped Job sync because completion mode is unknown");

const message = new Writer(256);

/** A pod was created. */
export function announceCreated(job: Job, decision: u32, podName: usize, podNameSize: u32): void {
  announce(job, decision, false, SUCCESSFUL_CREATE, "Created pod: ", podName, podNameSize);
}

/** The creation of a pod was refused. `error` are the bytes of the server's message. */
export function announceCreateFailed(job: Job, decision: u32, error: usize, errorSize: u32): void {
  announce(job, decision, true, FAILED_CREATE, "Error creating: ", error, errorSize);
}

/** A pod was deleted. `podName` is a blob. */
export function announceDeleted(job: Job, decision: u32, podName: usize): void {
  announce(job, decision, false, SUCCESSFUL_DELETE, "Deleted pod: ", blobAt(podName), blobSize(podName));
}

/** The deletion of a pod was refused. `error` are the bytes of the server's message. */
export function announceDeleteFailed(job: Job, decision: u32, error: usize, errorSize: u32): void {
  announce(job, decision, true, FAILED_DELETE, "Error deleting: ", error, errorSize);
}

/** The Job is complete. Call it after the write that ended the Job. */
export function announceCompleted(job: Job, decision: u32, succeeded: i32): void {
  if (job.spec.completions != NO_COMPLETIONS && succeeded > job.spec.completions) {
    queueEvent(
      job,
      decision,
      true,
      TOO_MANY_SUCCEEDED,
      blobAt(TOO_MANY_SUCCEEDED_MESSAGE),
      blobSize(TOO_MANY_SUCCEEDED_MESSAGE),
    );
  }
  queueEvent(job, decision, false, COMPLETED, blobAt(COMPLETED_MESSAGE), blobSize(COMPLETED_MESSAGE));
}

/**
 * The Job has failed. Call it after the write that ended the Job. `reason` and `text` are those of the condition
 * Failed, as blobs.
 */
export function announceFailed(job: Job, decision: u32, reason: usize, text: usize): void {
  queueEvent(job, decision, true, reason, blobAt(text), blobSize(text));
}

/** The condition Suspended becomes True. The status write follows. */
export function announceSuspended(job: Job, decision: u32): void {
  queueEvent(job, decision, false, SUSPENDED, blobAt(SUSPENDED_MESSAGE), blobSize(SUSPENDED_MESSAGE));
}

/** The condition Suspended becomes False. */
export function announceResumed(job: Job, decision: u32): void {
  queueEvent(job, decision, false, RESUMED, blobAt(RESUMED_MESSAGE), blobSize(RESUMED_MESSAGE));
}

/** The Job has a Workload of this name now, a blob. */
export function announceWorkload(job: Job, decision: u32, workload: usize): void {
  message.reset();
  message.text("Created Workload ");
  writeNameForJob(workload, job);
  queueEvent(job, decision, false, WORKLOAD_CREATED, message.start, message.length);
}

/** The Job has a PodGroup of this name now, a blob. */
export function announcePodGroup(job: Job, decision: u32, podGroup: usize): void {
  message.reset();
  message.text("Created PodGroup ");
  writeNameForJob(podGroup, job);
  queueEvent(job, decision, false, POD_GROUP_CREATED, message.start, message.length);
}

/** The creation of the Workload was refused. `error` is the server's message, a blob. */
export function announceWorkloadRefused(job: Job, decision: u32, error: usize): void {
  message.reset();
  message.text("Failed to create Workload for Job ");
  message.blob(job.name);
  message.text(": ");
  message.blob(error);
  queueEvent(job, decision, true, FAILED_WORKLOAD_CREATE, message.start, message.length);
}

/** The controller does nothing for the Job, because it does not know its completionMode. */
export function announceUnknownMode(job: Job, decision: u32): void {
  queueEvent(job, decision, true, UNKNOWN_MODE, blobAt(UNKNOWN_MODE_MESSAGE), blobSize(UNKNOWN_MODE_MESSAGE));
}

function writeNameForJob(name: usize, job: Job): void {
  message.blob(name);
  message.text(" for Job ");
  message.blob(job.name);
}

function announce(
  job: Job,
  decision: u32,
  isWarning: bool,
  reason: usize,
  prefix: string,
  text: usize,
  textSize: u32,
): void {
  message.reset();
  message.text(prefix);
  message.bytes(text, textSize);
  queueEvent(job, decision, isWarning, reason, message.start, message.length);
}
