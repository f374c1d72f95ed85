/**
 * A pod spec under review, with what its parts have to know of each other: volumes, the grace period, the operating
 * system, whether it is a Pod's or a template's. Invariant: nothing here is checked, and nothing changes the document.
 */
import { ABSENT, after, JsonNode, memberOf, objectOf, stringOf } from "../json/tree";

/** How the names of huge pages begin among resources; their size follows. */
export const HUGE_PAGES = "hugepages-";

/** One pod spec, and where it comes from. */
export class PodFacts {
  spec: JsonNode;
  /** The metadata of the Pod or of the template; null if it has none. */
  metadata: JsonNode | null;
  /** Whether it is a Pod's. A template allows more: it is checked again in each pod that is made of it. */
  isPod: bool;
  /** The spec before an update; null: there was none. What it has wrong may stay wrong. */
  old: JsonNode | null;
  /** The volumes without a fault, by their names. Only those can be mounted. */
  volumes: Map<string, JsonNode> = new Map<string, JsonNode>();

  constructor(spec: JsonNode, metadata: JsonNode | null, isPod: bool, old: JsonNode | null = null) {
    this.old = old;
    this.spec = spec;
    this.metadata = metadata;
    this.isPod = isPod;
  }

  /** The name of a Pod; "" for a template, whatever its metadata says. */
  get name(): string {
    return this.isPod ? stringOf(this.metadata, "name") : "";
  }

  get annotations(): JsonNode | null {
    return objectOf(this.metadata, "annotations");
  }

  get securityContext(): JsonNode | null {
    return this.spec.object("securityContext");
  }

  /** Whether the containers share the users of the node, which is the default. */
  get sharesHostUsers(): bool {
    return !this.spec.has("hostUsers") || this.spec.boolean("hostUsers");
  }

  /** The name of the operating system; "" if it is not set. */
  get operatingSystem(): string {
    return stringOf(this.spec.object("os"), "name");
  }

  /** All containers in the order in which upstream visits them. */
  allContainers(): JsonNode[] {
    const found = new Array<JsonNode>();
    collect(this.spec.list("initContainers"), found);
    collect(this.spec.list("containers"), found);
    collect(this.spec.list("ephemeralContainers"), found);
    return found;
  }
}

function collect(containers: JsonNode | null, into: JsonNode[]): void {
  if (containers === null) return;
  for (let container = containers.first; container !== null; container = after(container)) into.push(container);
}

/** An integer in which a missing one counts as 0. */
export function numberOf(node: JsonNode, key: string): i64 {
  const value = node.integer(key);
  return value == ABSENT ? 0 : value;
}

/** Whether a string is missing or empty, or a list has no element. */
export function isEmpty(node: JsonNode, key: string): bool {
  const value = memberOf(node, key);
  return value === null || (value.text.length == 0 && value.length == 0);
}
