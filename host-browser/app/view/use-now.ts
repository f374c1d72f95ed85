/**
 * An effect of signals that runs at once when they change. The hook of the library puts it off by a frame, which is a
 * frame more between a hand and the picture.
 */
import { effect } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";

/** @param run may return what undoes it; reads signals alone, and refs of the component that calls it */
export function useNow(run: () => void | (() => void)): void {
  useLayoutEffect(() => effect(run), []);
}
