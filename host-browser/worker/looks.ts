/**
 * What answers looks, as one bundle that the Worker loads after the first picture: the view, and the whole engine,
 * which says who ended pods.
 *
 * Invariant: a look that needs no answer of the engine does not wait for it. One that does is answered without it when
 * it cannot be fetched, and says so; the next look fetches it again.
 */
import type { Engine } from "../../bindings/js/engine.ts";
import type { AskAccount } from "../history/account.ts";
import type { History } from "../history/history.ts";
import { needsAccount, type View, viewAt as viewWith } from "../history/view.ts";
import type { Query } from "../messages.ts";
import { askAccount } from "./ask-account.ts";
import { Lazy } from "./lazy.ts";
import type { WholeEngine } from "./session.ts";

/** The engine as in the package, which makes and plays recordings, too. */
const wholeEngine = new Lazy<WholeEngine>(async () => {
  const response = await fetch("whole-engine.wasm");
  if (!response.ok) throw new Error(`whole-engine.wasm: the server answered ${response.status}`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  return { module: await WebAssembly.compile(bytes), bytes };
});
let ask: AskAccount | undefined;

export async function loadWholeEngine(): Promise<WholeEngine> {
  if (wholeEngine.value === undefined) await wholeEngine.load();
  return wholeEngine.value!;
}

/**
 * The look can be answered after this; undefined: now.
 * @param query absent: any look @param engine the class, which the Worker has
 */
export function prepareLook(query: Query | undefined, engine: typeof Engine): Promise<void> | undefined {
  const isReady = ask !== undefined || (query !== undefined && !needsAccount(query));
  return isReady ? undefined : prepareAccount(engine);
}

async function prepareAccount(engine: typeof Engine): Promise<void> {
  try {
    const { module } = await loadWholeEngine();
    ask ??= askAccount(engine.createSync(module));
  } catch {
    // The view says it.
  }
}

export function viewAt(history: History, query: Query): View {
  return viewWith(history, query, ask);
}
