/**
 * The engine's metrics as data, and as the text that Prometheus scrapes. Names, labels and help come from the engine,
 * so a family that a newer engine adds needs nothing here. Leaves out the transport: the host decides where to serve
 * the text.
 */

/** What the engine holds, and what it has counted since it was created. Members: ../ABI.md, "metrics". */
export interface EngineMetrics {
  readonly jobs: number;
  readonly pods: number;
  readonly waitingPods: number;
  readonly due: number;
  readonly requestsUnderWay: number;
  readonly syncs: number;
  readonly eventsDropped: number;
  readonly memoryBytes: number;
  readonly families: readonly MetricFamily[];
  readonly [member: string]: unknown;
}

/** A metric with its samples, one for each combination of label values. */
export interface MetricFamily {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  /** Names of the labels, in the order of the values of each sample. */
  readonly labels: readonly string[];
  /** Upper bounds of the buckets of a histogram, ascending, without +Inf. */
  readonly bounds?: readonly number[];
  readonly samples: readonly MetricSample[];
}

/** The values for one combination of labels. */
export interface MetricSample {
  readonly labels: readonly string[];
  /** The value of a counter or a gauge. */
  readonly value?: number;
  /** For a histogram: for each bound, how many observations were not above it. */
  readonly buckets?: readonly number[];
  readonly sum?: number;
  readonly count?: number;
}

/** The content type of what `renderMetrics` returns. */
export const METRICS_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Prometheus' text exposition format, version 0.0.4. */
export function renderMetrics(families: readonly MetricFamily[]): string {
  return families.map(renderFamily).join("");
}

function renderFamily({ name, type, help, labels, bounds = [], samples }: MetricFamily): string {
  const lines = [`# HELP ${name} ${escaped(help)}`, `# TYPE ${name} ${type}`];
  for (const sample of samples) {
    const own = labels.map((label, i) => `${label}="${quoted(sample.labels[i] ?? "")}"`);
    if (type !== "histogram") {
      lines.push(line(name, own, sample.value));
      continue;
    }
    bounds.forEach((bound, i) => lines.push(line(`${name}_bucket`, [...own, `le="${bound}"`], sample.buckets?.[i])));
    lines.push(
      line(`${name}_bucket`, [...own, 'le="+Inf"'], sample.count),
      line(`${name}_sum`, own, sample.sum),
      line(`${name}_count`, own, sample.count),
    );
  }
  return `${lines.join("\n")}\n`;
}

function line(name: string, labels: readonly string[], value = 0): string {
  return `${name}${labels.length === 0 ? "" : `{${labels.join(",")}}`} ${value}`;
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

function quoted(text: string): string {
  return escaped(text).replaceAll('"', '\\"');
}
