/**
 * What the first picture does not need: actions, rules about whole pods, quotas, and whatever looks for mistakes and
 * warnings, as the first scenario has none. A separate file, which the Worker loads on first use.
 */
export { statusDiagnostics } from "../manifests/status-diagnostics.ts";
export { simulateMistakes } from "../manifests/simulate-annotation.ts";
export { scenarioFaults } from "./scenario-limits.ts";
export { collectLost, evict, perform } from "./actions.ts";
export { Applied } from "./apply.ts";
export { manifestWarnings } from "./manifest-warnings.ts";
export { tooManyPods } from "./pod-limits.ts";
export { PodOutcomes } from "./pod-outcomes.ts";
export { startQuotas } from "../apiserver/quota/quotas.ts";
