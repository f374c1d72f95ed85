/** The exports of the engine, and nothing else. bindings/ABI.md says what each means. */
export * from "./core";
export { verdict } from "./verdict/verdict";
export { lint } from "./lint/lint";
export { forecast } from "./forecast/forecast";
