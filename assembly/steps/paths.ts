/** Paths of objects that several kinds of request name. They are written into the frame. */
import { SLASH } from "../json/punctuation";
import { resourceName } from "../gang/ensure";
import { Job } from "../model/job";
import { Pod } from "../model/pod";
import { frame } from "./request";

export function writePodsPath(namespace: usize): void {
  frame.text("/api/v1/namespaces/");
  frame.blob(namespace);
  frame.text("/pods");
}

export function writePodPath(pod: Pod): void {
  writePodsPath(pod.namespace);
  frame.byte(SLASH);
  frame.blob(pod.name);
}

/** Writes the path of the Workloads, or of the PodGroups, of a namespace. */
export function writeGangPath(resource: u8, namespace: usize): void {
  frame.text("/apis/scheduling.k8s.io/v1beta1/namespaces/");
  frame.blob(namespace);
  frame.byte(SLASH);
  frame.text(resourceName(resource));
}

export function writeJobPath(job: Job): void {
  frame.text("/apis/batch/v1/namespaces/");
  frame.blob(job.namespace);
  frame.text("/jobs/");
  frame.blob(job.name);
}
