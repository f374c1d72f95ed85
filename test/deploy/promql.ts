/**
 * What a query of Prometheus asks for: the metrics that it names, with the labels by which it selects. Prometheus' own
 * grammar parses it. Leaves out what the query means; promtool and its cases show that.
 */
import { parser } from "@prometheus-io/lezer-promql";

export interface Selector {
  readonly metric: string;
  /** Names of labels in braces. */
  readonly labels: readonly string[];
}

/** The selectors of a query, in their order. @throws Error when it does not parse */
export function selectorsOf(query: string): Selector[] {
  const selectors: { metric: string; labels: string[] }[] = [];
  parser.parse(query).iterate({
    enter: ({ name, from, to, type }) => {
      if (type.isError) throw new Error(`no PromQL at character ${from}: ${query}`);
      if (name === "VectorSelector") selectors.push({ metric: "", labels: [] });
      else if (name === "Identifier") selectors.at(-1)!.metric = query.slice(from, to);
      else if (name === "LabelMatchers") return;
      else if (name === "UnquotedLabelMatcher") {
        const label = /^\w+/.exec(query.slice(from, to))![0];
        if (label === "__name__") throw new Error(`a metric is selected by __name__, which hides its name: ${query}`);
        selectors.at(-1)!.labels.push(label);
      }
    },
  });
  return selectors;
}
