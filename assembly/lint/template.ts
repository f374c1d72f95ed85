/** Rules about containers, the controller, the selector and names: docs/spec/controller.md 1, 2.7, 2.8, appendix A. */
import { isListed } from "../json/text";
import { after, firstOf, JsonNode, objectOf } from "../json/tree";
import { advise } from "./advice";
import { hasRestartRule, isNativeSidecar } from "./restarts";
import { Rule, rule } from "./rule";
import { GENERATED_PREFIX_MAX, Subject } from "./subject";

const CONTAINER_NEVER_ENDS = rule(
  "ContainerNeverEnds",
  "",
  "container {text}: the kubelet restarts it also when it has succeeded, so the pod does not end, and the Job goes on until its deadline or for ever",
  "make a helper an init container with restartPolicy Always, which the kubelet ends after the others; give the work restartPolicy Never or OnFailure",
  "warn",
);
const LEGACY_SIDECAR = rule(
  "LegacySidecar",
  "",
  "container {text} does not end when the work is done: the pod goes on, and so does the Job",
  "make it an init container with restartPolicy Always, which the kubelet ends after the others",
  "warn",
);
const MEMORY_UNLIMITED = rule(
  "MemoryUnlimited",
  "",
  "container {text} requests memory and has no limit: it may use all that the node has, unless a LimitRange sets a limit",
  "set resources.limits.memory to the most that the container may use",
  "warn",
);
const UNKNOWN_MANAGER = rule(
  "UnknownManager",
  "",
  "no controller runs the Job: none is known that answers to managedBy {text}",
  "leave managedBy out, so that the built-in controller runs the Job, or start that controller",
  "warn",
);
const OWN_SELECTOR = rule(
  "OwnSelector",
  "",
  "with manualSelector the Job takes over and counts every pod without a controller that its selector matches",
  "leave manualSelector and selector out: the API server then makes a selector that matches no other pod",
  "warn",
);
const SAME_NAME = rule(
  "SameName",
  "",
  "{text} has an object of this kind, namespace and name, too: applied together, the later one replaces the earlier one",
  "give one of them another name or namespace",
  "warn",
);
const GENERATED_NAME_TOO_LONG = rule(
  "GeneratedNameTooLong",
  "length,most",
  "the API server will refuse the Job: its name gets {length} characters, and at most {most} are allowed where the index of a pod follows it",
  "shorten the name that it is made of",
  "deny",
);
const POD_NAMES_CUT = rule(
  "PodNamesCut",
  "length,kept",
  "names of pods have only the first {kept} of the {length} characters of the Job's name: pods of Jobs with similar names look the same",
  "shorten the name of the Job",
  "warn",
);

/** The rules of this file, in the order of the documents. */
export const TEMPLATE_RULES: StaticArray<Rule> = [
  CONTAINER_NEVER_ENDS,
  LEGACY_SIDECAR,
  MEMORY_UNLIMITED,
  UNKNOWN_MANAGER,
  OWN_SELECTOR,
  SAME_NAME,
  GENERATED_NAME_TOO_LONG,
  POD_NAMES_CUT,
];

/** A host name, of which the pod of an index has one. */
const LABEL_MAX: i32 = 63;
const BUILT_IN_MANAGER = "kubernetes.io/job-controller";
const RESERVED_DOMAIN = "kubernetes.io/";
/** Names and images of helpers of other containers that keep running when those have ended. */
const SIDECARS =
  "istio-proxy,proxyv2,linkerd-proxy,kuma-dp,kuma-sidecar,daprd,consul-dataplane,envoy,envoy-sidecar,aws-appmesh-envoy," +
  "cloud-sql-proxy,cloudsql-proxy,gce-proxy,alloydb-auth-proxy,oauth2-proxy,kube-rbac-proxy,pgbouncer," +
  "vault-agent,spire-agent,azwi-proxy,tailscale,fluent-bit,aws-for-fluent-bit,fluentd,filebeat,promtail,telegraf," +
  "otel-collector,opentelemetry-collector,opentelemetry-collector-contrib,aws-otel-collector,jaeger-agent," +
  "datadog-agent,aws-xray-daemon,xray-daemon,statsd-exporter,gcs-fuse-csi-driver-sidecar-mounter,dind";
/** Images that start a server, unless a command or an argument says otherwise. */
const SERVERS =
  "redis,valkey,memcached,postgres,mysql,mariadb,mongo,rabbitmq,nats,nginx,localstack,standalone-chrome," +
  "standalone-chromium,standalone-firefox";

export function lintContainers(subject: Subject): void {
  const containers = subject.podSpec.list("containers");
  if (containers === null) return;
  const inits = subject.podSpec.list("initContainers");
  lintEnds(containers, false);
  lintEnds(inits, true);
  lintSidecars(subject, containers);
  lintMemory(subject, containers);
  if (inits !== null) lintMemory(subject, inits);
}

// A container that is restarted when it has succeeded.
function lintEnds(containers: JsonNode | null, areInits: bool): void {
  for (let container = firstOf(containers); container !== null; container = after(container)) {
    const isAlways = isNativeSidecar(container);
    if (areInits && isAlways) continue;
    const name = container.string("name");
    if (isAlways) advise(CONTAINER_NEVER_ENDS, container, "restartPolicy", name + " has restartPolicy Always");
    else if (hasRestartRule(container, 0))
      advise(
        CONTAINER_NEVER_ENDS,
        container,
        "restartPolicyRules",
        name + " has a restart rule that takes exit code 0",
      );
  }
}

function lintSidecars(subject: Subject, containers: JsonNode): void {
  if (subject.podSpec.boolean("shareProcessNamespace") || mentions(containers, "quit")) return;
  let sidecars = 0;
  for (let container = containers.first; container !== null; container = after(container)) {
    if (isSidecar(container)) ++sidecars;
  }
  if (sidecars == containers.length) return;
  for (let container = containers.first; container !== null; container = after(container)) {
    // Another rule reports containers with restartPolicy Always.
    if (isSidecar(container) && !isNativeSidecar(container))
      advise(LEGACY_SIDECAR, container, "", container.string("name"));
  }
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
  // The name is followed by `-INDEX` in a host name, and by `-INDEX-` or `-` in the prefix of a pod's name.
  const most = LABEL_MAX - digits - 1;
  if (digits > 0 && isMade && length > most) {
    advise(GENERATED_NAME_TOO_LONG, name, "", "", f64(length), f64(most));
    return;
  }
  // Without an index the dash behind the name may go.
  const kept = digits > 0 ? GENERATED_PREFIX_MAX - digits - 2 : GENERATED_PREFIX_MAX;
  if (length > kept) advise(POD_NAMES_CUT, name, "", "", f64(length), f64(kept));
}

/** Whether the name or the image is that of a known helper. */
export function isSidecar(container: JsonNode): bool {
  const image = container.string("image");
  const program = programOf(image);
  const first = firstOf(container.list("command"));
  if (isListed(program, SERVERS)) {
    const argument = firstOf(container.list("args"));
    return first === null && (argument === null || argument.asString().startsWith("-"));
  }
  // Docker in Docker is the image docker with a tag such as dind.
  const isKnown =
    isListed(container.string("name"), SIDECARS) ||
    isListed(program, SIDECARS) ||
    (program == "docker" && image.endsWith("dind"));
  // A shell around it may end it.
  return isKnown && (first === null || !first.asString().endsWith("sh"));
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

function lintMemory(subject: Subject, containers: JsonNode): void {
  const given = objectOf(subject.context.object("containerDefaults"), "limits");
  if (given !== null && given.has("memory")) return;
  for (let container = containers.first; container !== null; container = after(container)) {
    const resources = container.object("resources");
    const requests = objectOf(resources, "requests");
    const limits = objectOf(resources, "limits");
    if (requests === null || !requests.has("memory") || (limits !== null && limits.has("memory"))) continue;
    advise(MEMORY_UNLIMITED, container, "resources.limits.memory", container.string("name"));
  }
}

// Whether a controller with this name may run. Without a list of managers, only names in the reserved domain are known
// to have no controller.
function isAnswered(manager: string, managers: JsonNode | null): bool {
  for (let known = firstOf(managers); known !== null; known = after(known)) {
    if (known.asString() == manager) return true;
  }
  return managers === null && !manager.startsWith(RESERVED_DOMAIN);
}
