/** Tells when the first picture can stand, so that what it does not need is fetched after it, and only once. */
import { effect } from "@preact/signals";
import type { Session } from "./session.ts";

/** A run that takes longer is not waited for: what is known of it is the first picture. */
export const LONG_RUN_MS = 1_000;

/** Calls back once: a run is shown as far as it goes, or has gone on for long, or it is known that there is none. */
export function whenFirstRunIsKnown({ branch, mode, fatal, isRefused }: Session, then: () => void): void {
  let isKnown = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const know = (): void => {
    clearTimeout(timer);
    if (!isKnown) then();
    isKnown = true;
  };
  // Once it is known no signal is read any more, and so nothing runs this again.
  effect(() => {
    if (isKnown) return;
    const hasEnded = branch.value !== undefined && mode.value !== "loading";
    if (hasEnded || fatal.value !== "" || isRefused.value) know();
    else if (branch.value !== undefined) timer ??= setTimeout(know, LONG_RUN_MS);
  });
}
