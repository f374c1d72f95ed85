/**
 * When managed memory is collected. The runtime marks from globals only, and never scans the Wasm stack. So a
 * collection is safe only on the first line of an export, while no other code of the engine runs. Hot paths make no
 * garbage. Code that does (reviews, refusals, unreadable objects) calls `noteGarbage`, and the next call collects it.
 * Invariant: managed state that outlives a call is reachable from a global, never only from an unmanaged record.
 */
import { giveBack } from "./arena";

let made: bool = false;

/** The current call leaves unreachable managed values. The next call collects them. */
export function noteGarbage(): void {
  made = true;
}

/** Frees what earlier calls left behind. Only the first line of an export may call it. */
export function collectGarbage(): void {
  if (!made) return;
  made = false;
  __collect();
  giveBack();
}
