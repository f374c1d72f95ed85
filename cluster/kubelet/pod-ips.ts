/**
 * Addresses of the pods of one node, from an IPv4 range, each in use by one pod at a time.
 *
 * Invariant: an address is reused only after its pod released it and all later addresses were given out once. If more
 * pods run than the range has addresses, the others get the address of the node, as with hostNetwork.
 */
import type { Pod } from "../values/kinds.ts";

export class PodIPs {
  readonly #hostIP: string;
  /** First address and number of addresses; size 0: every pod has the address of the node. */
  readonly #first: number;
  readonly #size: number;
  #next = 0;
  readonly #byUid = new Map<string, number>();
  readonly #inUse = new Set<number>();

  /** @param cidr `10.244.0.0/16`, or `host`. @throws RangeError for anything else. */
  constructor(cidr: string, hostIP: string) {
    this.#hostIP = hostIP;
    const match = /^(\d+)\.(\d+)\.(\d+)\.(\d+)\/(\d+)$/.exec(cidr);
    const numbers = (match ?? []).slice(1).map(Number);
    const prefix = numbers[4] ?? NaN;
    if (cidr === "host") {
      this.#first = 0;
      this.#size = 0;
    } else if (numbers.slice(0, 4).some((octet) => octet > 255) || !(prefix >= 8 && prefix <= 30)) {
      throw new RangeError(
        `podCIDR: ${JSON.stringify(cidr)} is not allowed; give an IPv4 range such as 10.244.0.0/16 (prefix 8 to 30), or "host"`,
      );
    } else {
      // Without the network's own address and broadcast.
      this.#first = numbers.slice(0, 4).reduce((address, octet) => address * 256 + octet, 0) + 1;
      this.#size = 2 ** (32 - prefix) - 2;
    }
  }

  assign(pod: Pod): string {
    if (pod.spec.hostNetwork === true || this.#inUse.size >= this.#size) return this.#hostIP;
    while (this.#inUse.has(this.#next)) this.#next = (this.#next + 1) % this.#size;
    const offset = this.#next;
    this.#next = (offset + 1) % this.#size;
    this.#inUse.add(offset);
    this.#byUid.set(pod.metadata.uid, offset);
    const address = this.#first + offset;
    return `${address >>> 24}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}`;
  }

  release(podUid: string): void {
    const offset = this.#byUid.get(podUid);
    if (offset === undefined) return;
    this.#byUid.delete(podUid);
    this.#inUse.delete(offset);
  }
}
