/**
 * Where processes of this machine listen on a TCP port, by /proc of Linux. It knows a socket by its inode, and the
 * processes that have it by their descriptors.
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** In the column `st` of /proc/net/tcp. */
const LISTEN = "0A";
/** A process that listens at all addresses listens here. */
const LOOPBACK = { tcp: "127.0.0.1", tcp6: "::1" } as const;

/** The address at which one of these processes listens on a port. Undefined: none does. */
export function addressOfListener(port: number, pids: readonly number[]): string | undefined {
  const sockets = new Set(pids.flatMap(socketsOf));
  for (const family of ["tcp", "tcp6"] as const)
    for (const { address, inode } of listenersOn(port, family)) if (sockets.has(inode)) return address;
  return undefined;
}

function listenersOn(port: number, family: keyof typeof LOOPBACK): { address: string; inode: string }[] {
  const wanted = port.toString(16).toUpperCase().padStart(4, "0");
  return readLines(`/proc/self/net/${family}`).flatMap((line) => {
    const [, local = "", , state, , , , , , inode = ""] = line.trim().split(/\s+/);
    const [address = "", itsPort] = local.split(":");
    return state === LISTEN && itsPort === wanted ? [{ address: addressIn(address, family), inode }] : [];
  });
}

/** IPv4 in the byte order of the processor, which is little-endian wherever Node runs. Of IPv6 there is loopback. */
function addressIn(hex: string, family: keyof typeof LOOPBACK): string {
  if (family === "tcp6" || /^0+$/.test(hex)) return LOOPBACK[family];
  const bytes = (hex.match(/../g) ?? []).toReversed();
  return bytes.map((byte) => parseInt(byte, 16)).join(".");
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, "latin1").split("\n").slice(1);
  } catch {
    return []; // There is no IPv6.
  }
}

function socketsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => socketAt(`/proc/${pid}/fd/${fd}`));
  } catch {
    return []; // It has ended meanwhile, or belongs to another user.
  }
}

function socketAt(path: string): string[] {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(path))?.slice(1) ?? [];
  } catch {
    return []; // It was closed meanwhile.
  }
}
