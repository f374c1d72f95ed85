/** Tells when the first picture can stand, so that what it does not need is fetched after it, and only once. */
import { effect } from "@preact/signals";
import type { Session } from "./session.ts";

/** Calls back once: a run is shown, or it is known that none is. */
export function whenFirstRunIsKnown({ branch, fatal, isRefused }: Session, then: () => void): void {
  let isKnown = false;
  // Once it is known no signal is read any more, and so nothing runs this again.
  effect(() => {
    if (isKnown || (branch.value === undefined && fatal.value === "" && !isRefused.value)) return;
    isKnown = true;
    then();
  });
}
