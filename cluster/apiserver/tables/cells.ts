/** Texts that the cells of several tables share. Source: pkg/printers/internalversion. */
import type { TypedObject } from "../../values/types.ts";

interface Container {
  readonly name: string;
  readonly image?: string;
}

/** Names and images of the containers of a pod template. */
export function containerCells(containers: readonly Container[] = []): [names: string, images: string] {
  return [
    containers.map((container) => container.name).join(","),
    containers.map((container) => container.image ?? "").join(","),
  ];
}

/** Labels in the order of their keys: `a=b,c=d`; `<none>` without any. */
export function labelsText(labels: Readonly<Record<string, string>> = {}): string {
  const texts = Object.keys(labels)
    .toSorted()
    .map((key) => `${key}=${labels[key]}`);
  return texts.join(",") || "<none>";
}

/** The first three of a list, and how many more there are. */
export function fewText(items: readonly string[], none: string): string {
  if (items.length === 0) return none;
  const shown = items.slice(0, 3).join(",");
  return items.length > 3 ? `${shown} + ${items.length - 3} more...` : shown;
}

/** The phase in the status; `Terminating` for an object that is being deleted. */
export function phaseOf(object: TypedObject & { status?: { phase?: string } }): string {
  return object.metadata.deletionTimestamp ? "Terminating" : (object.status?.phase ?? "");
}
