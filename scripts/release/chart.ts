/** The Helm chart of deploy/chart. */
import { join } from "node:path";
import { type Artefact, expectText, inRoot, type Release, run } from "./artefact.ts";
import { NAMES } from "./names.ts";

/** The module that pins Helm, for tests of the chart too. */
const HELM_MODULE = inRoot("test/kubernetes/binaries/helm");
const HELM = "helm.sh/helm/v4/cmd/helm";
const archive = ({ version }: Release): string => `${NAMES.chart}-${version}.tgz`;

/** Builds it first unless Go has cached it. */
const helm = (...args: readonly string[]): string => run("go", ["-C", HELM_MODULE, "run", HELM, ...args]);

export const chart: Artefact = {
  name: "Helm chart",
  async make(release) {
    helm("package", inRoot("deploy/chart"), "--destination", release.out);
    return [archive(release)];
  },
  async tryOut(release) {
    const manifests = helm("template", "try", join(release.out, archive(release)));
    expectText("the chart", manifests, `${NAMES.image}:${release.version}`);
    expectText("the chart", manifests, "kind: Deployment");
    return "helm made the manifests of this version from it";
  },
};
