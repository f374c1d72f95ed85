/**
 * What a text is that a user pastes: a table of kinds, each with a test of how it begins. The first that fits counts.
 *
 * Invariant: a test looks at the beginning of the text alone, so any length is recognised at once. Leaves out whether
 * the text is right: who reads it says that.
 */
import { FLIGHT_FORMAT } from "../../cluster/observed/segment-format.ts";
import { RECORDING_FORMAT } from "../../bindings/js/recording.ts";
import { jsonDocuments } from "../../cluster/observed/json-documents.ts";
import { isScenarioFile } from "../share/scenario-file.ts";

export type KindName = (typeof KINDS)[number]["name"];

interface Kind {
  readonly name: string;
  /** What the page calls it. */
  readonly called: string;
  /** It cannot be explained, and this says what to give instead. */
  readonly instead?: string;
  /** @param start of the text, without a byte order mark */
  is(start: string): boolean;
}

/** Characters that are looked at. The first object of a log is shorter, nearly always. */
const START_LENGTH = 256 * 1024;
/** `kubectl get job,pods,events -o yaml`, in every sentence that asks for it. */
const GET = "kubectl get job,pods,events -o yaml";
const DESCRIBED = /^(?:Parallelism|Pods Statuses|Pod Template|Completions|Start Time|Controlled By|Selector): /m;
const TABLE =
  /^(?:NAMESPACE +)?NAME +(?:READY|STATUS|COMPLETIONS|SCHEDULE|DATA|AGE)\b|^(?:NAMESPACE +)?LAST SEEN +TYPE\b/;
const HEAD = /^[ \t-]*["']?(?:apiVersion|kind)["']?\s*:|[{,]\s*"?(?:apiVersion|kind)"?\s*:/m;
const KUBECTL_ERROR =
  /^(?:Error from server|error: |No resources found|The connection to the server|Unable to connect)/;

/** Control characters that no text of people has: those of a packed or an encrypted file. */
// eslint-disable-next-line no-control-regex
const BINARY = /[\u0000-\u0008\u000e-\u001a\ufffd]/;

export const KINDS = [
  { name: "empty", called: "nothing", instead: `paste what \`${GET}\` prints`, is: (start) => start.trim() === "" },
  {
    name: "binary",
    called: "no text",
    instead: "unpack the file first, or give one in UTF-8",
    is: (start) => BINARY.test(start.slice(0, 4096)),
  },
  { name: "recording", called: "a recording", is: (start) => hasFormat(start, RECORDING_FORMAT) },
  { name: "flight", called: "a segment of the flight recorder", is: (start) => hasFormat(start, FLIGHT_FORMAT) },
  { name: "scenario", called: "a scenario of this page", is: (start) => isScenarioFile(start) },
  { name: "log", called: "a log of kubectl get --watch", is: isWatchLog },
  {
    name: "refused",
    called: "an error of kubectl",
    instead: `run \`${GET}\` again where it succeeds`,
    is: (start) => KUBECTL_ERROR.test(start),
  },
  {
    name: "table",
    called: "the table that kubectl get prints",
    instead: `add \`-o yaml\`: \`${GET}\``,
    is: (start) => TABLE.test(start),
  },
  {
    name: "described",
    called: "the text of kubectl describe job",
    is: (start) => /^Name: +\S/.test(start) && DESCRIBED.test(start),
  },
  {
    name: "template",
    called: "the source of a Helm chart",
    instead: "paste what `helm template` prints: values are filled in there",
    is: (start) =>
      HEAD.test(start) && /\{\{-?\s*(?:[.$"(]|include |if |range |with |end|define |toYaml |template )/.test(start),
  },
  { name: "objects", called: "objects of Kubernetes", is: (start) => HEAD.test(start) },
  {
    name: "unknown",
    called: "a text without any object of Kubernetes",
    instead: `paste what \`${GET}\` prints, a manifest, a log of \`kubectl get --watch -o json\` or a recording`,
    is: () => true,
  },
] as const satisfies readonly Kind[];

export function kindOf(text: string): (typeof KINDS)[number] {
  const start = text.slice(0, START_LENGTH);
  return KINDS.find(({ is }) => is(start))!;
}

function hasFormat(start: string, format: string): boolean {
  return new RegExp(`^\\s*\\{\\s*"format"\\s*:\\s*"${format.replace(".", "\\.")}"`).test(start);
}

/** Watch events, or an object after another one that is no list: of one object several states, for example. */
function isWatchLog(start: string): boolean {
  if (!/^\s*\{/.test(start)) return false;
  if (/^\s*\{\s*"type"\s*:\s*"(?:ADDED|MODIFIED|DELETED|BOOKMARK|ERROR)"\s*,\s*"object"\s*:/.test(start)) return true;
  try {
    const documents = jsonDocuments(start);
    const [first, second] = [documents.next().value, documents.next().value];
    return first?.text !== undefined && second !== undefined && /"resourceVersion"/.test(first.text);
  } catch {
    return false;
  }
}
