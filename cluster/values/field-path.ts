/** Fields of objects by their paths, as field selectors and columns name them: `spec.nodeName`. */
import type { TypedObject } from "./types.ts";

/** A function that reads `a.b.c` of an object as text, which is empty where nothing is. */
export function textAt(path: string): (object: TypedObject) => string {
  const parts = path.split(".");
  return (object) => {
    // A hot path: each kubelet's watch reads this for each write of a pod.
    let value: any = object;
    for (let place = 0; place < parts.length; place++) value = value?.[parts[place]!];
    return value === undefined || value === null ? "" : String(value);
  };
}
