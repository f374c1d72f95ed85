/** Rules about containers, the controller, the selector and names: docs/spec/controller.md 1, 2.7, 2.8, appendix A. */
import { isListed } from "../json/text";
import { after, JsonNode, objectOf } from "../json/tree";
import { advise } from "./advice";
import {
  GENERATED_NAME_TOO_LONG,
  LEGACY_SIDECAR,
  MEMORY_UNLIMITED,
  OWN_SELECTOR,
  POD_NAMES_CUT,
  SAME_NAME,
  UNKNOWN_MANAGER,
} from "./rules";
import { firstOf, GENERATED_PREFIX_MAX, Subject } from "./subject";

/** A host name, of which the pod of an index has one. */
const LABEL_MAX: i32 = 63;
const BUILT_IN_MANAGER = "kubernetes.io/job-controller";
const RESERVED_DOMAIN = "kubernetes.io/";
/** Names and images of what serves other containers and goes on when they have ended. */
const SIDECARS =
  "istio-proxy,proxyv2,linkerd-proxy,vault-agent,cloud-sql-proxy,cloudsql-proxy,gce-proxy,alloydb-auth-proxy," +
  "envoy,fluent-bit,fluentd,filebeat,promtail,oauth2-proxy,pgbouncer,otel-collector,opentelemetry-collector," +
  "opentelemetry-collector-contrib,jaeger-agent,daprd,consul-dataplane";

export function lintContainers(subject: Subject): void {
  const containers = subject.podSpec.list("containers");
  if (containers === null) return;
  const mayEnd = subject.podSpec.boolean("shareProcessNamespace") || mentions(containers, "quit");
  let sidecars = 0;
  for (let container = containers.first; container !== null; container = after(container)) {
    if (isSidecar(container)) ++sidecars;
  }
  if (!mayEnd && sidecars < containers.length) {
    for (let container = containers.first; container !== null; container = after(container)) {
      if (isSidecar(container)) advise(LEGACY_SIDECAR, container, "", container.string("name"));
    }
  }
  lintMemory(containers);
  const inits = subject.podSpec.list("initContainers");
  if (inits !== null) lintMemory(inits);
}

export function lintController(subject: Subject): void {
  const manager = subject.spec.string("managedBy");
  if (manager.length > 0 && manager != BUILT_IN_MANAGER && !isAnswered(manager, subject.context.list("managers")))
    advise(UNKNOWN_MANAGER, subject.spec, "managedBy", manager);
  if (subject.spec.boolean("manualSelector")) advise(OWN_SELECTOR, subject.spec, "manualSelector");
}

export function lintNames(subject: Subject): void {
  const name = subject.nameNode;
  const length = subject.nameLength;
  if (name === null || length == 0) return;
  const earlier = subject.context.string("earlier");
  if (earlier.length > 0) advise(SAME_NAME, name, "", earlier);
  const digits = subject.indexDigits;
  const isMade = subject.cronJob !== null || name.key == "generateName";
  // What is behind the name: `-INDEX` in a host name, `-INDEX-` or `-` in the prefix of a pod's name.
  const most = LABEL_MAX - digits - 1;
  if (digits > 0 && isMade && length > most) {
    advise(GENERATED_NAME_TOO_LONG, name, "", "", f64(length), f64(most));
    return;
  }
  // Without an index the dash behind the name may go.
  const kept = digits > 0 ? GENERATED_PREFIX_MAX - digits - 2 : GENERATED_PREFIX_MAX;
  if (length > kept) advise(POD_NAMES_CUT, name, "", "", f64(length), f64(kept));
}

function isSidecar(container: JsonNode): bool {
  if (!isListed(container.string("name"), SIDECARS) && !isListed(programOf(container.string("image")), SIDECARS))
    return false;
  // Somebody has wrapped it in a shell, perhaps to end it.
  const command = container.list("command");
  const first = firstOf(command);
  return first === null || !first.asString().endsWith("sh");
}

// The last part of an image's name, without tag and digest.
function programOf(image: string): string {
  const from = image.lastIndexOf("/") + 1;
  let end = from;
  while (end < image.length && image.charCodeAt(end) != 0x3a && image.charCodeAt(end) != 0x40) ++end;
  return image.substring(from, end);
}

// Whether a command or an argument has the word: an address that a sidecar ends by, for example.
function mentions(containers: JsonNode, word: string): bool {
  for (let container = containers.first; container !== null; container = after(container)) {
    if (hasWord(container.list("command"), word) || hasWord(container.list("args"), word)) return true;
  }
  return false;
}

function hasWord(list: JsonNode | null, word: string): bool {
  for (let item = firstOf(list); item !== null; item = after(item)) {
    if (item.asString().includes(word)) return true;
  }
  return false;
}

function lintMemory(containers: JsonNode): void {
  for (let container = containers.first; container !== null; container = after(container)) {
    const resources = container.object("resources");
    const requests = objectOf(resources, "requests");
    const limits = objectOf(resources, "limits");
    if (requests === null || !requests.has("memory") || (limits !== null && limits.has("memory"))) continue;
    advise(MEMORY_UNLIMITED, container, "resources.limits.memory", container.string("name"));
  }
}

// Only where it is known who answers, or where nobody can.
function isAnswered(manager: string, managers: JsonNode | null): bool {
  for (let known = firstOf(managers); known !== null; known = after(known)) {
    if (known.asString() == manager) return true;
  }
  return managers === null && !manager.startsWith(RESERVED_DOMAIN);
}
