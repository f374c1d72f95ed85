/** The manifests that the page offers, by the name in its list. Each shows one thing that a Job controller decides. */
import deadline from "./examples/deadline.yaml";
import givesUp from "./examples/gives-up.yaml";
import indexed from "./examples/indexed.yaml";
import restarts from "./examples/restarts.yaml";
import retry from "./examples/retry.yaml";
import workQueue from "./examples/work-queue.yaml";

export const EXAMPLES: Readonly<Record<string, string>> = {
  "Indexed Job": indexed,
  "Retry until it works": retry,
  "Give up after the limit": givesUp,
  "Active deadline": deadline,
  "Restart in the same pod": restarts,
  "Work queue": workQueue,
};
