/**
 * What the files of deploy/ say twice is the same: versions, rules, names of settings. That a real API server takes
 * them, and that the chart makes what the kustomization makes, is in test/kubernetes/deploy.test.ts.
 */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import packageJson from "../../package.json" with { type: "json" };
import { SETTINGS } from "../../host-node/controller/settings.ts";
import { NAMES } from "../../scripts/release/names.ts";
import type { Setting } from "../../host-node/settings/table.ts";

const deploy = resolve(import.meta.dirname, "../../deploy");
const read = (file: string): string => readFileSync(join(deploy, file), "utf8");

interface Manifest {
  readonly kind: string;
  readonly rules?: readonly { readonly resources: readonly string[]; readonly verbs: readonly string[] }[];
  readonly spec?: {
    readonly template?: {
      readonly spec: {
        readonly securityContext: unknown;
        readonly containers: readonly { readonly securityContext: unknown }[];
      };
    };
  };
}

function manifest(file: string, kind: string): Manifest {
  const found = parseAllDocuments(read(file))
    .map((document) => document.toJS() as Manifest)
    .find((candidate) => candidate.kind === kind);
  if (found === undefined) throw new Error(`deploy/${file} has no ${kind}`);
  return found;
}

/** As in help, in one word: `domain/name` is `domainName`. */
function kindOf({ kind }: Setting): string {
  return kind.placeholder.replace(/\/([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

describe("deploy/", () => {
  it("is of the version of the package", () => {
    const { version } = packageJson;
    expect(parse(read("chart/Chart.yaml"))).toMatchObject({ version, appVersion: version });
    for (const folder of ["controller/base", "controller/overlays/single-namespace", "controller/overlays/shadow"])
      expect(parse(read(`${folder}/kustomization.yaml`)), folder).toMatchObject({
        images: [{ name: NAMES.image, newTag: version }],
      });
    expect(read("Dockerfile")).toContain(`-t stint:${version} .`);
    expect(read("README.md")).toContain(`-t stint:${version} .`);
  });

  it("gives the controller of one namespace the rights of the other one, and all the same security context", () => {
    const [base, one] = ["controller/base", "controller/overlays/single-namespace"];
    expect(manifest(`${one}/rbac.yaml`, "Role").rules).toEqual(manifest(`${base}/rbac.yaml`, "ClusterRole").rules);
    const [deployment, ...sets] = [
      manifest(`${base}/deployment.yaml`, "Deployment"),
      manifest(`${one}/stateful-set.yaml`, "StatefulSet"),
      manifest("controller/overlays/shadow/stateful-set.yaml", "StatefulSet"),
    ].map(({ spec }) => spec!.template!.spec);
    for (const set of sets) {
      expect(set.securityContext).toEqual(deployment!.securityContext);
      expect(set.containers[0]!.securityContext).toEqual(deployment!.containers[0]!.securityContext);
    }
  });

  it("gives a shadow rights to read, those that docs/shadow.md names, and a namespace as strict as the other", () => {
    const guide = readFileSync(join(deploy, "../docs/shadow.md"), "utf8");
    const { rules } = manifest("controller/overlays/shadow/rbac.yaml", "ClusterRole");
    expect(rules!.map(({ resources }) => resources)).toEqual([["jobs"], ["pods"]]);
    for (const { resources, verbs } of rules!) {
      expect(verbs).toEqual(["list", "watch"]);
      expect(guide).toMatch(new RegExp(`^\\| \`${resources[0]}\`[^|]*\\| \`list\`, \`watch\` \\|$`, "m"));
    }
    expect(read("controller/overlays/shadow/namespace.yaml").replace("stint-shadow", "stint-system")).toBe(
      read("controller/base/namespace.yaml"),
    );
  });

  it("gives the rights that its README and docs/controller.md name, and no others", () => {
    const guide = readFileSync(join(deploy, "../docs/controller.md"), "utf8");
    for (const { resources, verbs } of manifest("controller/base/rbac.yaml", "ClusterRole").rules!) {
      const [resource] = resources;
      const [, inGuide] = new RegExp(`^\\| \`${resource}\`[^|]*\\| (\`\\w+\`(?:, \`\\w+\`)*)`, "m").exec(guide)!;
      const [, inReadme] = new RegExp(`^\\| \`${resource}\`: ([\\w, ]+?) *\\|`, "m").exec(read("README.md"))!;
      expect(inGuide!.replaceAll("`", "").split(", ").toSorted(), `docs/controller.md, ${resource}`).toEqual(
        verbs.toSorted(),
      );
      expect(inReadme!.split(", ").toSorted(), `deploy/README.md, ${resource}`).toEqual(verbs.toSorted());
    }
  });

  it("has every setting of the controller in the chart's schema, with what it takes", () => {
    const { properties } = (
      JSON.parse(read("chart/values.schema.json")) as {
        properties: { settings: { properties: Record<string, { $ref: string }> } };
      }
    ).properties.settings;
    const expected = Object.entries<Setting>(SETTINGS)
      .filter(([name]) => name !== "kubeconfig" && name !== "context")
      .map(([name, setting]) => [name, `#/$defs/${kindOf(setting)}`]);
    expect(Object.entries(properties).map(([name, { $ref }]) => [name, $ref])).toEqual(expected);
  });
});
