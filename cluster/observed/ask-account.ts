/** How those that gather what is known of a Job ask an engine about it. */
import type { Account, AccountQuestion } from "../../bindings/js/engine.ts";

/** Asks an engine what happened to a Job. Undefined: it cannot answer at present, or cannot read the objects. */
export type AskAccount = (question: AccountQuestion) => Account | undefined;
