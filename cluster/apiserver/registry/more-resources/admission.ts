/** The configurations of admission webhooks, and the policies of admission. */
import { defineServed as define, statusAlone } from "../../contract/served-resource.ts";
import type { ResourceDefinition } from "../../contract/context.ts";
import { admissionPolicyBindingStrategy, admissionPolicyStrategy } from "../../admission-plugins/policy-strategy.ts";
import { mutatingWebhookStrategy, validatingWebhookStrategy } from "../../admission-plugins/webhook-strategy.ts";
import { admissionPolicyBindingTable, admissionPolicyTable } from "../../admission-plugins/policy-table.ts";
import { webhookConfigurationTable } from "../../tables/more-kinds.ts";

const group = "admissionregistration.k8s.io";

export const admissionResources: readonly ResourceDefinition[] = [
  define(
    { group, resource: "mutatingwebhookconfigurations", kind: "MutatingWebhookConfiguration" },
    {
      isNamespaced: false,
      categories: ["api-extensions"],
      hasGeneration: true,
      allowsUnconditionalUpdate: false,
      strategy: mutatingWebhookStrategy,
      table: webhookConfigurationTable,
    },
  ),
  define(
    { group, resource: "validatingadmissionpolicies", kind: "ValidatingAdmissionPolicy" },
    {
      isNamespaced: false,
      categories: ["api-extensions"],
      hasGeneration: true,
      allowsUnconditionalUpdate: false,
      strategy: admissionPolicyStrategy,
      table: admissionPolicyTable,
      subresources: [statusAlone("ValidatingAdmissionPolicy")],
    },
  ),
  define(
    { group, resource: "validatingadmissionpolicybindings", kind: "ValidatingAdmissionPolicyBinding" },
    {
      isNamespaced: false,
      categories: ["api-extensions"],
      hasGeneration: true,
      allowsUnconditionalUpdate: false,
      strategy: admissionPolicyBindingStrategy,
      table: admissionPolicyBindingTable,
    },
  ),
  define(
    { group, resource: "validatingwebhookconfigurations", kind: "ValidatingWebhookConfiguration" },
    {
      isNamespaced: false,
      categories: ["api-extensions"],
      hasGeneration: true,
      allowsUnconditionalUpdate: false,
      strategy: validatingWebhookStrategy,
      table: webhookConfigurationTable,
    },
  ),
];
