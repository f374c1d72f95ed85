/** The path prefix of the control API. Its calls are in control-calls.ts, which other servers do not load. */
export const CONTROL_PATH = "/control/v1";
