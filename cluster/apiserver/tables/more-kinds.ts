/** The tables of the kinds that have few columns: budgets, classes, bindings of roles. */
import { age } from "./duration.ts";
import { column, type TableDefinition, wide } from "./table.ts";
import type {
  MutatingWebhookConfiguration,
  PodDisruptionBudget,
  PriorityClass,
  RoleBinding,
  ValidatingWebhookConfiguration,
} from "../../values/kinds.ts";

export const podDisruptionBudgetTable: TableDefinition<PodDisruptionBudget> = {
  columns: [
    column("Name"),
    column("Min Available"),
    column("Max Unavailable"),
    column("Allowed Disruptions", { type: "integer" }),
    column("Age"),
  ],
  cells: (budget, nowMs) => [
    budget.metadata.name,
    String(budget.spec?.minAvailable ?? "N/A"),
    String(budget.spec?.maxUnavailable ?? "N/A"),
    budget.status?.disruptionsAllowed ?? 0,
    age(budget, nowMs),
  ],
};

export const priorityClassTable: TableDefinition<PriorityClass> = {
  columns: [
    column("Name"),
    column("Value", { type: "integer" }),
    column("Global-Default", { type: "boolean" }),
    column("Age"),
    column("PreemptionPolicy"),
  ],
  cells: (priorityClass, nowMs) => [
    priorityClass.metadata.name,
    priorityClass.value ?? 0,
    priorityClass.globalDefault ?? false,
    age(priorityClass, nowMs),
    priorityClass.preemptionPolicy ?? "",
  ],
};

/** For both kinds of configurations of webhooks. */
export const webhookConfigurationTable: TableDefinition<ValidatingWebhookConfiguration | MutatingWebhookConfiguration> =
  {
    columns: [column("Name"), column("Webhooks", { type: "integer" }), column("Age")],
    cells: (configuration, nowMs) => [
      configuration.metadata.name,
      configuration.webhooks?.length ?? 0,
      age(configuration, nowMs),
    ],
  };

/** For RoleBindings and ClusterRoleBindings. */
export const roleBindingTable: TableDefinition<RoleBinding> = {
  columns: [column("Name"), column("Role"), column("Age"), wide("Users"), wide("Groups"), wide("ServiceAccounts")],
  cells(binding, nowMs) {
    const { kind, name } = binding.roleRef;
    return [
      binding.metadata.name,
      `${kind}/${name}`,
      age(binding, nowMs),
      subjects(binding, "User"),
      subjects(binding, "Group"),
      subjects(binding, "ServiceAccount"),
    ];
  },
};

function subjects(binding: RoleBinding, kind: "User" | "Group" | "ServiceAccount"): string {
  const ofKind = (binding.subjects ?? []).filter((subject) => subject.kind === kind);
  return ofKind
    .map(({ namespace, name }) => (kind === "ServiceAccount" ? `${namespace ?? ""}/${name}` : name))
    .join(", ");
}
