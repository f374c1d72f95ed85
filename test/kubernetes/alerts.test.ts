/**
 * The alert rules, by Prometheus' own tool: it takes them, each fires in its case and keeps still in the other, and the
 * dashboard's queries are queries. The kustomization makes what docs/alerts.md says. That the metrics are there is in
 * test/deploy/monitoring.test.ts.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, parseAllDocuments, stringify } from "yaml";
import { findKubectl, findOrBuild, whyUnavailable } from "./binaries/binaries.ts";

const monitoring = resolve(import.meta.dirname, "../../deploy/monitoring");
const read = (file: string): string => readFileSync(join(monitoring, file), "utf8");

const kubectl = findKubectl();
const missing = whyUnavailable() ?? (kubectl === undefined ? "there is no kubectl in $PATH" : undefined);
if (missing !== undefined && process.env["STINT_REQUIRE_CLUSTER"] === "1")
  throw new Error(`STINT_REQUIRE_CLUSTER is 1, and ${missing}`);

describe.skipIf(missing !== undefined)("deploy/monitoring", () => {
  let folder: string;
  let promtool: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "stint-alerts-"));
    promtool = await findOrBuild("promtool");
    copyFileSync(join(monitoring, "rules.test.yaml"), join(folder, "rules.test.yaml"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  function tell(...args: string[]): { readonly status: number | null; readonly output: string } {
    const { status, stdout, stderr } = spawnSync(promtool, args, { cwd: folder, encoding: "utf8" });
    return { status, output: stdout + stderr };
  }

  function writeRules(text: string): void {
    writeFileSync(join(folder, "rules.yaml"), stringify(parse(text).spec));
  }

  it("has rules that Prometheus takes, and that fire when they should and at no other time", () => {
    writeRules(read("prometheus-rule.yaml"));
    expect(tell("check", "rules", "--lint=all", "--lint-fatal", "rules.yaml")).toMatchObject({ status: 0 });
    expect(tell("test", "rules", "rules.test.yaml")).toMatchObject({ status: 0 });
  });

  it("has cases that notice the usual mistake: to count failed pods", () => {
    const right = 'max by (namespace, job_name) (kube_job_failed{condition="true"}) == 1\n          labels';
    const text = read("prometheus-rule.yaml");
    expect(text).toContain(right);
    writeRules(text.replace(right, "max by (namespace, job_name) (kube_job_status_failed) > 0\n          labels"));
    const { status, output } = tell("test", "rules", "rules.test.yaml");
    expect(status).toBe(1);
    expect(output).toContain("alertname: StintJobFailed");
  });

  it("has a dashboard whose queries are queries", () => {
    const { panels } = JSON.parse(read("dashboard.json")) as { panels: { targets?: { expr: string }[] }[] };
    const rules = panels
      .flatMap(({ targets = [] }) => targets)
      .map(({ expr }, i) => ({ record: `query:${i}`, expr: expr.replace(/\$__(rate_interval|range)/g, "5m") }));
    writeFileSync(join(folder, "queries.yaml"), stringify({ groups: [{ name: "dashboard", rules }] }));
    expect(tell("check", "rules", "queries.yaml")).toMatchObject({ status: 0 });
  });

  it("is a kustomization of the rules, the scraping, and the dashboard as a ConfigMap", () => {
    const { status, stdout, stderr } = spawnSync(kubectl!, ["kustomize", monitoring], { encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const objects = parseAllDocuments(stdout).map((document) => document.toJS());
    expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`).toSorted()).toEqual([
      "ConfigMap monitoring/stint-dashboard",
      "PrometheusRule monitoring/stint",
      "ServiceMonitor monitoring/stint-job-controller",
    ]);
    const { metadata, data } = objects.find(({ kind }) => kind === "ConfigMap");
    expect(metadata.labels).toEqual({ grafana_dashboard: "1" });
    expect(data["stint.json"]).toBe(read("dashboard.json"));
  });
});
