/** The exports of the engine, and nothing else. bindings/ABI.md says what each means. */
export * from "./core";
// Chooses what is checked of a Job and of a pod beside what the core checks.
import "./admission/validate-scheduling";
import "./admission/whole-pod-rules";
export { account } from "./account/account";
export { metrics } from "./explain/metrics";
export { verdict } from "./verdict/verdict";
export { lint } from "./lint/lint";
export { forecast } from "./forecast/forecast";
