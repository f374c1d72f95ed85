/**
 * The exports of a Job controller, and nothing else: what the playground fetches before its first picture. The whole
 * engine has the questions of index.ts and the text of the metrics besides, which the page does not ask for.
 */
// This comes first, because the others read their literals when they start.
import "./memory/packed-text";
export { reserve } from "./abi/input";
export { trap_message } from "./memory/abort";
export {
  abi_minor_version,
  abi_version,
  clock,
  configure,
  explain,
  explain_at,
  ingest,
  last_error,
  list_continue,
  poll,
  review,
  settle,
  watch_version,
} from "./engine";
