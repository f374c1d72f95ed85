/**
 * What people read as the name of a Job or of what belongs to it, in every line alike: Jobs of one name in two
 * namespaces are told apart.
 */
import { printable } from "./printable.ts";

/** `pi`, and `team/pi` in a namespace other than `default`. */
export function qualifiedName(namespace: string, name: string): string {
  return printable(namespace === "default" ? name : `${namespace}/${name}`);
}
