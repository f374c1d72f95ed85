/**
 * When managed memory is collected. The runtime marks from globals alone, and never looks at the Wasm stack. So a
 * collection is safe only while no call of the engine is under way: on the first line of an export. Code that runs
 * often makes no garbage. Code that does make some (reviews, refusals, objects that cannot be read) says so, and the
 * next call collects it. Invariant: managed state that outlives a call hangs on a global, never on an unmanaged record.
 */
let made: bool = false;

/** The present call leaves managed values behind that nothing holds. The next call collects them. */
export function noteGarbage(): void {
  made = true;
}

/** Frees what earlier calls left behind. Only the first line of an export may call it. */
export function collectGarbage(): void {
  if (!made) return;
  made = false;
  __collect();
}
