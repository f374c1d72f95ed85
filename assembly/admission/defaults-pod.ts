/**
 * Defaults of a pod spec, in a Job's template and in a Pod (docs/spec/api.md 5.1). Invariant: what is there stays, with
 * two exceptions: quantities get their canonical spelling, and the two names of the service account mirror each other.
 * A second pass changes nothing. What the API server's admission plugins add (tolerations, priority, service account)
 * is left out. Source: pkg/apis/core/v1/defaults.go.
 */
import { after, JsonNode, noteMismatch, NUMBER, objectOf, STRING } from "../json/tree";
import { defaultInteger, defaultObject, defaultString, setIfMissing } from "./default-fields";
import { isLatest } from "./image-reference";
import { Quantity } from "./quantity";

/** Sets the defaults that the pod spec of a template and that of a Pod have in common. */
export function defaultPodSpec(spec: JsonNode): void {
  defaultString(spec, "restartPolicy", "Always");
  defaultString(spec, "dnsPolicy", "ClusterFirst");
  defaultInteger(spec, "terminationGracePeriodSeconds", 30);
  defaultString(spec, "schedulerName", "default-scheduler");
  defaultObject(spec, "securityContext");
  mirrorServiceAccount(spec);
  canonicalizeAll(spec.object("overhead"));
  canonicalizeResources(spec.object("resources"));
  defaultContainers(spec.list("initContainers"));
  defaultContainers(spec.list("containers"));
  defaultContainers(spec.list("ephemeralContainers"));
  const volumes = spec.list("volumes");
  if (volumes === null) return;
  for (let volume = volumes.first; volume !== null; volume = after(volume)) defaultVolume(volume);
}

/**
 * Sets the defaults of a real Pod, but for the resources of the whole Pod. Besides those above, these are requests from
 * limits, service links and host ports.
 */
export function defaultPod(spec: JsonNode): void {
  defaultPodSpec(spec);
  if (!spec.has("enableServiceLinks")) spec.set("enableServiceLinks", JsonNode.boolean(true));
  const hostNetwork = spec.boolean("hostNetwork");
  defaultPodContainers(spec.list("initContainers"), hostNetwork);
  defaultPodContainers(spec.list("containers"), hostNetwork);
}

function mirrorServiceAccount(spec: JsonNode): void {
  const name = spec.string("serviceAccountName");
  const legacy = spec.string("serviceAccount");
  if (name.length > 0 && legacy != name) spec.set("serviceAccount", JsonNode.string(name));
  else if (name.length == 0 && legacy.length > 0) spec.set("serviceAccountName", JsonNode.string(legacy));
}

function defaultContainers(containers: JsonNode | null): void {
  if (containers === null) return;
  for (let container = containers.first; container !== null; container = after(container)) defaultContainer(container);
}

function defaultContainer(container: JsonNode): void {
  defaultPullPolicy(container, "imagePullPolicy", container.string("image"));
  defaultString(container, "terminationMessagePath", "/dev/termination-log");
  defaultString(container, "terminationMessagePolicy", "File");
  canonicalizeResources(defaultObject(container, "resources"));
  defaultPorts(container.list("ports"));
  defaultVariables(container.list("env"));
  defaultProbe(container.object("livenessProbe"));
  defaultProbe(container.object("readinessProbe"));
  defaultProbe(container.object("startupProbe"));
  const lifecycle = container.object("lifecycle");
  if (lifecycle === null) return;
  defaultHandler(lifecycle.object("postStart"));
  defaultHandler(lifecycle.object("preStop"));
}

function defaultPorts(ports: JsonNode | null): void {
  if (ports === null) return;
  for (let port = ports.first; port !== null; port = after(port)) defaultString(port, "protocol", "TCP");
}

function defaultVariables(variables: JsonNode | null): void {
  if (variables === null) return;
  for (let variable = variables.first; variable !== null; variable = after(variable)) {
    const source = variable.object("valueFrom");
    if (source !== null) defaultFieldSource(source);
  }
}

// Sets the defaults of fieldRef and resourceFieldRef. Variables have these, and so do the files of a downward API
// volume.
function defaultFieldSource(source: JsonNode): void {
  const field = source.object("fieldRef");
  if (field !== null) defaultString(field, "apiVersion", "v1");
  const resource = source.object("resourceFieldRef");
  if (resource === null) return;
  if (resource.has("divisor")) canonicalize(resource, "divisor");
  else resource.set("divisor", JsonNode.string("0"));
}

function defaultProbe(probe: JsonNode | null): void {
  if (probe === null) return;
  defaultHandler(probe);
  defaultPositive(probe, "timeoutSeconds", 1);
  defaultPositive(probe, "periodSeconds", 10);
  defaultPositive(probe, "successThreshold", 1);
  defaultPositive(probe, "failureThreshold", 3);
  const grpc = probe.object("grpc");
  if (grpc !== null && !grpc.has("service")) grpc.set("service", JsonNode.string(""));
}

function defaultHandler(handler: JsonNode | null): void {
  if (handler === null) return;
  const httpGet = handler.object("httpGet");
  if (httpGet === null) return;
  defaultString(httpGet, "path", "/");
  defaultString(httpGet, "scheme", "HTTP");
}

// Sets an integer that is missing or zero. In these fields zero counts as missing.
function defaultPositive(node: JsonNode, key: string, value: i64): void {
  if (!node.has(key) || node.integer(key) == 0) node.set(key, JsonNode.integer(value));
}

function defaultVolume(volume: JsonNode): void {
  let sources = 0;
  for (let member = volume.first; member !== null; member = after(member)) {
    if (member.key != "name" && volume.has(member.key)) sources++;
  }
  if (sources == 0) {
    volume.set("emptyDir", JsonNode.object());
    return;
  }
  const emptyDir = volume.object("emptyDir");
  if (emptyDir !== null && emptyDir.has("sizeLimit")) canonicalize(emptyDir, "sizeLimit");
  const image = volume.object("image");
  if (image !== null) defaultPullPolicy(image, "pullPolicy", image.string("reference"));
  const claim = objectOf(objectOf(volume.object("ephemeral"), "volumeClaimTemplate"), "spec");
  if (claim !== null) defaultClaim(claim);
  defaultOldVolume(volume);
  defaultMode(volume.object("secret"));
  defaultMode(volume.object("configMap"));
  const downward = volume.object("downwardAPI");
  defaultMode(downward);
  if (downward !== null) defaultItems(downward.list("items"));
  const hostPath = volume.object("hostPath");
  if (hostPath !== null && !hostPath.has("type")) hostPath.set("type", JsonNode.string(""));
  const projected = volume.object("projected");
  defaultMode(projected);
  if (projected === null) return;
  const projections = projected.list("sources");
  if (projections === null) return;
  for (let source = projections.first; source !== null; source = after(source)) {
    const token = source.object("serviceAccountToken");
    if (token !== null) defaultInteger(token, "expirationSeconds", 3600);
    const files = source.object("downwardAPI");
    if (files !== null) defaultItems(files.list("items"));
  }
}

function defaultClaim(claim: JsonNode): void {
  setIfMissing(claim, "volumeMode", JsonNode.string("Filesystem"));
  canonicalizeResources(claim.object("resources"));
}

// Kinds of volumes that are no longer run, but have defaults.
function defaultOldVolume(volume: JsonNode): void {
  const iscsi = volume.object("iscsi");
  if (iscsi !== null) defaultString(iscsi, "iscsiInterface", "default");
  const rbd = volume.object("rbd");
  if (rbd !== null) {
    defaultString(rbd, "pool", "rbd");
    defaultString(rbd, "user", "admin");
    defaultString(rbd, "keyring", "/etc/ceph/keyring");
  }
  const scaleIo = volume.object("scaleIO");
  if (scaleIo !== null) {
    defaultString(scaleIo, "storageMode", "ThinProvisioned");
    defaultString(scaleIo, "fsType", "xfs");
  }
  const disk = volume.object("azureDisk");
  if (disk === null) return;
  setIfMissing(disk, "cachingMode", JsonNode.string("ReadWrite"));
  setIfMissing(disk, "kind", JsonNode.string("Shared"));
  setIfMissing(disk, "fsType", JsonNode.string("ext4"));
  setIfMissing(disk, "readOnly", JsonNode.boolean(false));
}

function defaultPullPolicy(holder: JsonNode, key: string, image: string): void {
  if (holder.string(key).length == 0) holder.set(key, JsonNode.string(isLatest(image) ? "Always" : "IfNotPresent"));
}

function defaultMode(source: JsonNode | null): void {
  if (source !== null) defaultInteger(source, "defaultMode", 420);
}

function defaultItems(items: JsonNode | null): void {
  if (items === null) return;
  for (let item = items.first; item !== null; item = after(item)) defaultFieldSource(item);
}

function canonicalizeResources(resources: JsonNode | null): void {
  if (resources === null) return;
  canonicalizeAll(resources.object("limits"));
  canonicalizeAll(resources.object("requests"));
}

function canonicalizeAll(quantities: JsonNode | null): void {
  if (quantities === null) return;
  for (let quantity = quantities.first; quantity !== null; quantity = after(quantity))
    canonicalize(quantities, quantity.key);
}

function canonicalize(parent: JsonNode, key: string): void {
  const node = parent.get(key);
  if (node === null) return;
  const quantity = node.kind == STRING || node.kind == NUMBER ? Quantity.parse(node.text.trim()) : null;
  if (quantity === null) {
    noteMismatch(node, "a quantity");
    return;
  }
  const spelling = quantity.toString();
  if (node.kind == NUMBER || spelling != node.text) parent.set(key, JsonNode.string(spelling));
}

function defaultPodContainers(containers: JsonNode | null, hostNetwork: bool): void {
  if (containers === null) return;
  for (let container = containers.first; container !== null; container = after(container)) {
    const resources = container.object("resources");
    if (resources !== null) requestsFromLimits(resources);
    if (hostNetwork) defaultHostPorts(container.list("ports"));
  }
}

function requestsFromLimits(resources: JsonNode): void {
  const limits = resources.object("limits");
  if (limits === null || limits.length == 0) return;
  const requests = defaultObject(resources, "requests");
  if (requests === null) return;
  for (let limit = limits.first; limit !== null; limit = after(limit)) {
    if (!requests.has(limit.key)) requests.set(limit.key, limit.clone());
  }
}

function defaultHostPorts(ports: JsonNode | null): void {
  if (ports === null) return;
  for (let port = ports.first; port !== null; port = after(port)) {
    const number = port.get("containerPort");
    if (number === null) continue;
    if (!port.has("hostPort") || port.integer("hostPort") == 0) port.set("hostPort", number.clone());
  }
}
