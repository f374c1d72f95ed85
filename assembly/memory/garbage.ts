/**
 * When managed memory is collected. The runtime marks from globals alone and never looks at the Wasm stack, so a
 * collection is safe only where no call of the engine is under way: on the first line of an export. Hot paths make no
 * garbage; what does make some (reviews, refusals, objects that cannot be read) says so, and the next call pays.
 *
 * Invariant: managed state that outlives a call hangs on a global, never on an unmanaged record.
 */
let made: bool = false;

/** The present call leaves managed values behind that nothing holds. */
export function noteGarbage(): void {
  made = true;
}

/** Frees what earlier calls left behind. For the first line of an export only. */
export function collectGarbage(): void {
  if (!made) return;
  made = false;
  __collect();
}
