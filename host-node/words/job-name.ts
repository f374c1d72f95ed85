/**
 * How every line names a Job or an object that belongs to it. Jobs with the same name in two namespaces look different.
 */
import { printable } from "./printable.ts";

/** `pi`, and `team/pi` in a namespace other than `default`. */
export function qualifiedName(namespace: string, name: string): string {
  return printable(namespace === "default" ? name : `${namespace}/${name}`);
}
