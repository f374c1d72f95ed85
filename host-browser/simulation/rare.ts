/**
 * What the first picture does not need: actions, rules about whole pods, and warnings about a manifest. A file of its
 * own, which the Worker loads when it first needs it. Leaves out errors of a manifest: they decide whether there is a
 * run.
 */
export { collectLost, evict, perform } from "./actions.ts";
export { manifestWarnings } from "./manifest-warnings.ts";
export { PodOutcomes } from "./pod-outcomes.ts";
