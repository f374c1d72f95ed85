/**
 * Prints measurements as a table that grows row by row while the benches run.
 */
import type { Bench, Measurement, Unit } from "./measure.ts";

interface Column {
  readonly heading: string;
  readonly width: number;
}

const COLUMNS: readonly Column[] = [
  { heading: "bench", width: 60 },
  { heading: "stint", width: 20 },
  { heading: "compared with", width: 24 },
  { heading: "", width: 20 },
  { heading: "ratio", width: 8 },
];

export function header(): string {
  const headings = row(COLUMNS.map((column) => column.heading));
  return `${headings}\n${"─".repeat(headings.length)}`;
}

/** One line for each contender after the first; the title is on the first of them. */
export function rows(bench: Bench, measurements: readonly Measurement[]): string {
  const [ours, ...others] = measurements as [Measurement, ...Measurement[]];
  return others
    .map((other, i) => {
      const ratio = other.amount / ours.amount;
      return row([
        i === 0 ? bench.title : "",
        i === 0 ? shown(ours.amount, bench.unit) : "",
        other.name,
        shown(other.amount, bench.unit),
        `${ratio < 10 ? ratio.toFixed(1) : Math.round(ratio)}×`,
      ]);
    })
    .join("\n");
}

function shown(amount: number, unit: Unit): string {
  if (unit.kind === "MB/s") return `${significant(unit.bytesPerRun / 1000 / amount)} MB/s`;
  if (unit.kind === "/s") return `${significant((unit.partsPerRun * 1000) / amount)} ${unit.parts}/s`;
  if (unit.kind === "long") return `${significant(amount)} µs/${unit.per}`;
  if (unit.kind === "bytes") return `${significant(amount)} B/${unit.per}`;
  return `${significant((amount * 1000) / unit.partsPerRun)} µs/${unit.per}`;
}

/** Three digits, without an exponent. */
function significant(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString("en-US");
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** Text columns to the left, numbers to the right. */
function row(cells: readonly string[]): string {
  return COLUMNS.map(({ width }, i) => (i === 0 || i === 2 ? cells[i]!.padEnd(width) : cells[i]!.padStart(width)))
    .join("  ")
    .trimEnd();
}
