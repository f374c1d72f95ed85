/** Labels, annotations and tolerations as `kubectl describe` prints them: one a line, in the order of their names. */
import type { DescribedText } from "./text.ts";

const MAX_ANNOTATION = 140;
/** kubectl's own note, which it does not show. */
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: number;
}

export function describeLabels(to: DescribedText, title: string, labels: Readonly<Record<string, string>> = {}): void {
  describeList(
    to,
    title,
    sorted(labels).map(([name, value]) => `${name}=${value}`),
  );
}

export function describeTolerations(to: DescribedText, title: string, tolerations: readonly Toleration[] = []): void {
  const inOrder = tolerations.toSorted((a, b) => compare(a.key ?? "", b.key ?? ""));
  describeList(to, title, inOrder.map(tolerationText));
}

export function describeAnnotations(
  to: DescribedText,
  title: string,
  annotations: Readonly<Record<string, string>> = {},
): void {
  const shown = sorted(annotations).filter(([name]) => name !== LAST_APPLIED);
  to.part(`${title}:\t`);
  if (shown.length === 0) to.part("<none>\n");
  shown.forEach(([name, text], i) => {
    if (i > 0) to.part("\t");
    const value = text.replace(/\n$/, "");
    if (value.length + name.length + 2 <= MAX_ANNOTATION && !value.includes("\n")) {
      to.part(`${name}: ${value}\n`);
      return;
    }
    to.part(`${name}:\n`);
    for (const line of value.split("\n")) to.part(`\t  ${shortened(line, MAX_ANNOTATION - 2)}\n`);
  });
}

function describeList(to: DescribedText, title: string, items: readonly string[]): void {
  to.part(`${title}:`);
  if (items.length === 0) to.part("\t<none>\n");
  for (const item of items) to.part(`\t${item}\n`);
}

function tolerationText({ key = "", operator, value, effect, tolerationSeconds }: Toleration): string {
  return [
    key,
    value ? `=${value}` : "",
    effect ? `:${effect}` : "",
    operator === "Exists" && !value ? " op=Exists" : "",
    tolerationSeconds === undefined ? "" : ` for ${tolerationSeconds}s`,
  ].join("");
}

function sorted(map: Readonly<Record<string, string>>): (readonly [string, string])[] {
  return Object.entries(map).toSorted(([a], [b]) => compare(a, b));
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function shortened(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}...` : text;
}
