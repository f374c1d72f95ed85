/**
 * The bodies of the requests for Workloads and PodGroups: the objects themselves, and the patches that change how many
 * pods start together. Source: docs/spec/controller.md section 11.
 */
import { Writer } from "../json/writer";
import { Job } from "../model/job";
import { GangObject } from "../model/gang-objects";
import { writeCompiled } from "./compile";
import { Template } from "./template";

/** Writes the Workload of the Job. `name` is its name, a blob. */
export function writeWorkload(to: Writer, job: Job, name: usize): void {
  begin(to, "Workload", job, name);
  to.text(']},"spec":{"controllerRef":{"apiGroup":"batch","kind":"Job","name":');
  to.quotedBlob(job.name);
  to.text('},"podGroupTemplates":[');
  writeCompiled(to, job);
  to.text("]}}");
}

/**
 * Writes a PodGroup of the Job from this template of the Workload. `name` is its name, a blob. The Workload owns it too
 * if `isOwn`: if it is the Job's own one.
 */
export function writePodGroup(
  to: Writer,
  job: Job,
  name: usize,
  workload: GangObject,
  template: Template,
  isOwn: bool,
): void {
  begin(to, "PodGroup", job, name);
  if (isOwn) {
    to.text(',{"apiVersion":"scheduling.k8s.io/v1beta1","kind":"Workload","name":');
    to.quotedBlob(workload.name);
    to.text(',"uid":');
    to.quotedBlob(workload.uid);
    to.text("}");
  }
  to.text(']},"spec":{"workloadRef":{"workloadName":');
  to.quotedBlob(workload.name);
  to.text(',"templateName":');
  to.quoted(template.name, template.nameSize);
  to.text("}");
  template.writeCopies(to);
  to.text("}}");
}

/**
 * Writes the patch of a Workload with this only template. The API does not merge that list, so the patch has the whole
 * template.
 */
export function writeWorkloadPatch(to: Writer, template: Template, minCount: i32): void {
  to.text('{"spec":{"podGroupTemplates":[');
  template.writeResized(to, minCount);
  to.text("]}}");
}

/** Writes the patch of a PodGroup. */
export function writePodGroupPatch(to: Writer, minCount: i32): void {
  to.text('{"spec":{"schedulingPolicy":{"gang":{"minCount":');
  to.integer(minCount);
  to.text("}}}}");
}

// Writes the beginning of both objects, up to their first owner.
function begin(to: Writer, kind: string, job: Job, name: usize): void {
  to.text('{"apiVersion":"scheduling.k8s.io/v1beta1","kind":"');
  to.text(kind);
  to.text('","metadata":{"name":');
  to.quotedBlob(name);
  to.text(',"namespace":');
  to.quotedBlob(job.namespace);
  to.text(',"ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":');
  to.quotedBlob(job.name);
  to.text(',"uid":');
  to.quotedBlob(job.uid);
  to.text(',"controller":true,"blockOwnerDeletion":true}');
}
