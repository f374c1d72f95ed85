/**
 * What the manifests of the webhook say in several places fits together. That a real API server takes them, and calls
 * it, is in test/kubernetes/webhook.test.ts.
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import packageJson from "../../package.json" with { type: "json" };
import { flagOf } from "../../host-node/settings/table.ts";
import { type Configuration, readConfiguration } from "../../host-node/webhook/configuration.ts";
import { readProfile } from "../../host-node/webhook/profile.ts";
import { PHASES } from "../../host-node/webhook/reviewer.ts";
import { SETTINGS } from "../../host-node/webhook/settings.ts";

const folder = resolve(import.meta.dirname, "../../deploy/webhook");
const read = (file: string): string => readFileSync(resolve(folder, file), "utf8");
// What is looked at is checked by what is expected of it.
const manifest = (file: string): any => parse(read(file));

const pod = manifest("base/deployment.yaml").spec.template.spec;
const [container] = pod.containers;
const service = manifest("base/service.yaml");
const webhooks = ["validating", "mutating"].flatMap((kind) => manifest(`base/${kind}-webhook.yaml`).webhooks);
const profiles: Readonly<Record<string, string>> = manifest("base/profiles.yaml").data;
const profileNames = Object.keys(profiles).map((file) => file.replace(/\.yaml$/, ""));
const profileConfigurations = profileNames.map((name) => manifest(`base/profile-${name}.yaml`));
const profileWebhooks = profileConfigurations.flatMap((found) => found.webhooks);
const KEPT_OUT = { key: "kubernetes.io/metadata.name", operator: "NotIn", values: ["kube-system", "stint-system"] };

function configuration(args: readonly string[]): Configuration {
  const names = new Map(Object.keys(SETTINGS).map((name) => [flagOf(name), name]));
  const flags = args.slice(1).map((arg) => {
    const [flag = "", value] = arg.split("=", 2);
    if (!names.has(flag) || value === undefined) throw new Error(`${arg} is no setting of the webhook`);
    return [names.get(flag)!, value] as const;
  });
  return readConfiguration({ flags: Object.fromEntries(flags), environment: {}, file: undefined });
}

describe("deploy/webhook", () => {
  it("starts the webhook with settings that it has, and that fit what the API server and the kubelet do", () => {
    expect(container.args[0]).toBe("webhook");
    const { address, cert, key, requestTimeout, shutdownGracePeriod } = configuration(container.args);
    expect(address.port).toBe(container.ports[0].containerPort);
    for (const { timeoutSeconds } of [...webhooks, ...profileWebhooks])
      expect(requestTimeout).toBeLessThan(timeoutSeconds * 1000);
    expect(shutdownGracePeriod + container.lifecycle.preStop.sleep.seconds * 1000).toBeLessThan(
      pod.terminationGracePeriodSeconds * 1000,
    );
    const [tls, ofProfiles] = container.volumeMounts;
    expect([cert, key]).toEqual(["tls.crt", "tls.key"].map((file) => `${tls.mountPath}/${file}`));
    expect(configuration(container.args).profiles).toBe(ofProfiles.mountPath);
    expect(pod.volumes).toEqual([
      expect.objectContaining({ name: tls.name }),
      { name: ofProfiles.name, configMap: { name: manifest("base/profiles.yaml").metadata.name } },
    ]);
    // A subPath would not follow a change of the ConfigMap.
    expect(ofProfiles).not.toHaveProperty("subPath");
  });

  it("has profiles that the webhook understands, each asked for by the label of its name", () => {
    for (const [file, text] of Object.entries(profiles)) expect(readProfile("p", file, text)).toBeDefined();
    expect(
      profileWebhooks.map(({ name, clientConfig, namespaceSelector }) => [name, clientConfig, namespaceSelector]),
    ).toEqual(
      profileNames.map((name) => [
        `${name}.jobs.stint.dev`,
        { service: { ...webhooks[0].clientConfig.service, path: `/validate/${name}` } },
        { matchLabels: { "stint.dev/profile": name }, matchExpressions: [KEPT_OUT] },
      ]),
    );
    expect(profileConfigurations.map(({ metadata }) => metadata.name)).toEqual(
      profileNames.map((name) => `stint-webhook-${name}`),
    );
    for (const { rules, sideEffects } of profileWebhooks) {
      expect(rules).toEqual([{ ...webhooks[0].rules[0], resources: ["jobs", "cronjobs"] }]);
      expect(sideEffects).toBe("None");
    }
    const files = manifest("base/kustomization.yaml").resources.filter((file: string) => file.startsWith("profile-"));
    expect(files).toEqual(profileNames.map((name) => `profile-${name}.yaml`));
  });

  it("asks about no object twice, and leaves none out", () => {
    const [validating] = webhooks;
    expect(validating.namespaceSelector).toEqual({
      matchExpressions: [KEPT_OUT, { key: "stint.dev/profile", operator: "NotIn", values: profileNames }],
    });
  });

  it("gives the webhook no rights: no role, no token, and a network policy without egress", () => {
    const { resources } = manifest("base/kustomization.yaml");
    const kinds = resources.map((file: string) => manifest(`base/${file}`).kind);
    expect(kinds.filter((kind: string) => /Role/.test(kind))).toEqual([]);
    expect(pod.automountServiceAccountToken).toBe(false);
    expect(manifest("base/service-account.yaml").automountServiceAccountToken).toBe(false);
    const { policyTypes, egress } = manifest("base/network-policy.yaml").spec;
    expect({ policyTypes, egress }).toEqual({ policyTypes: ["Ingress", "Egress"], egress: [] });
  });

  it("asks the port that it has, over HTTPS, by names that are there", () => {
    const [{ name: port }] = container.ports;
    for (const probe of [container.livenessProbe, container.readinessProbe])
      expect(probe.httpGet).toMatchObject({ port, scheme: "HTTPS" });
    expect(service.spec.ports[0].targetPort).toBe(port);
    expect(manifest("base/network-policy.yaml").spec.ingress).toEqual([{ ports: [{ port }] }]);
  });

  it("has the API server call the Service, each phase at its path, and the same Jobs", () => {
    expect(webhooks.map(({ clientConfig }) => clientConfig.service)).toEqual(
      PHASES.map((phase) => ({
        name: service.metadata.name,
        namespace: "stint-system",
        path: `/${phase}`,
        port: service.spec.ports[0].port,
      })),
    );
    const [validating, mutating] = webhooks;
    expect(mutating.namespaceSelector).toEqual({ matchExpressions: [KEPT_OUT] });
    for (const field of ["rules", "matchPolicy", "sideEffects", "failurePolicy"])
      expect(mutating[field], field).toEqual(validating[field]);
    expect(validating.sideEffects).toBe("None");
  });

  it("has a certificate for the name by which it is called, in the Secret that the pods read, from authorities that are there", () => {
    const documents = parseAllDocuments(read("overlays/cert-manager/certificate.yaml")).map(
      (document) => document.toJS() as any,
    );
    const issuers = documents.filter(({ kind }) => kind === "Issuer");
    const certificates = documents.filter(({ kind }) => kind === "Certificate");
    const serving = certificates.find(({ metadata }) => metadata.name === "stint-webhook");
    expect(serving.spec.dnsNames).toContain(`${service.metadata.name}.stint-system.svc`);
    expect(serving.spec.secretName).toBe(pod.volumes[0].secret.secretName);
    for (const { spec } of certificates)
      expect(issuers.map(({ metadata }) => metadata.name)).toContain(spec.issuerRef.name);
    const authority = issuers.find(({ spec }) => spec.ca !== undefined);
    expect(certificates.find(({ spec }) => spec.isCA).spec.secretName).toBe(authority.spec.ca.secretName);
    expect(parse(parse(read("overlays/cert-manager/kustomization.yaml")).patches[0].patch)).toMatchObject([
      { value: { "cert-manager.io/inject-ca-from": `stint-system/${serving.metadata.name}` } },
    ]);
  });

  it("is of the version of the package", () => {
    expect(manifest("base/kustomization.yaml").images).toEqual([
      { name: container.image, newTag: packageJson.version },
    ]);
  });
});
