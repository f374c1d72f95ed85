/** The configurations of admission webhooks. */
import { define } from "../define.ts";
import type { ResourceDefinition } from "../definition.ts";
import { mutatingWebhookStrategy, validatingWebhookStrategy } from "../strategies/webhook-configurations.ts";
import { webhookConfigurationTable } from "../tables/more-kinds.ts";

const group = "admissionregistration.k8s.io";

export const admissionResources: readonly ResourceDefinition[] = [
  define(
    { group, resource: "mutatingwebhookconfigurations", kind: "MutatingWebhookConfiguration" },
    {
      ...{ isNamespaced: false, categories: ["api-extensions"], hasGeneration: true },
      ...{ strategy: mutatingWebhookStrategy, table: webhookConfigurationTable },
    },
  ),
  define(
    { group, resource: "validatingwebhookconfigurations", kind: "ValidatingWebhookConfiguration" },
    {
      ...{ isNamespaced: false, categories: ["api-extensions"], hasGeneration: true },
      ...{ strategy: validatingWebhookStrategy, table: webhookConfigurationTable },
    },
  ),
];
