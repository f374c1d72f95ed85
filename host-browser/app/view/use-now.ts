/**
 * An effect of signals that runs at once when they change. The library's hook delays it by a frame, which delays the
 * picture's response to the user by a frame.
 */
import { effect } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";

/** @param run may return its cleanup; reads signals alone, and refs of the calling component */
export function useNow(run: () => void | (() => void)): void {
  useLayoutEffect(() => effect(run), []);
}
