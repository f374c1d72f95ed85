/**
 * The answer that means an unknown outcome, or a request that was not sent at all (bindings/js/host.ts, ApiResponse).
 */
import type { ApiResponse } from "../../bindings/js/host.ts";

export const NO_ANSWER: ApiResponse = { status: 0, headers: {}, body: "" };
