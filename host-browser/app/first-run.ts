/** Waits for the first picture, so that the page fetches what that does not need after it, and only once. */
import { effect } from "@preact/signals";
import type { Session } from "./session.ts";

/** The page does not wait longer for a run: it shows as the first picture what is known so far. */
export const LONG_RUN_MS = 1_000;

/** Calls back once: when a run is shown completely, has taken long, or when there is certainly no run. */
export function whenFirstRunIsKnown({ branch, mode, fatal, isRefused }: Session, then: () => void): void {
  let isKnown = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const know = (): void => {
    clearTimeout(timer);
    if (!isKnown) then();
    isKnown = true;
  };
  // After the call no signal is read any more, and so nothing runs this again.
  effect(() => {
    if (isKnown) return;
    const hasEnded = branch.value !== undefined && mode.value !== "loading";
    if (hasEnded || fatal.value !== "" || isRefused.value) know();
    else if (branch.value !== undefined) timer ??= setTimeout(know, LONG_RUN_MS);
  });
}
