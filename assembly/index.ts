/** The exports of the engine, and nothing else. bindings/ABI.md says what each means. */
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
  metrics,
  poll,
  review,
  settle,
  watch_version,
} from "./engine";
