/** An engine that is asked what became of pods, and controls nothing. */
import type { Engine } from "../../bindings/js/engine.ts";
import type { AskAccount } from "../history/account.ts";

/** @param engine the whole engine: the core of the page cannot answer */
export function askAccount(engine: Pick<Engine, "account">): AskAccount {
  return (question, nowMs) => {
    try {
      return engine.account(question, nowMs);
    } catch (error) {
      // The class is another one in each bundle. A fault of the engine has another name.
      if (error instanceof Error && error.name === "EngineError") return undefined;
      throw error;
    }
  };
}
