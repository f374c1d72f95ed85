/**
 * The rules of lint that CEL can say, for ValidatingAdmissionPolicies: an expression for each, which is true of what
 * the rule is about. The engine has the rules (assembly/lint/); a test holds that each expression speaks of the vectors
 * of its rule, and of no others.
 *
 * A policy sees the object with its defaults. So rules that are silent about defaults are missing, and so are those
 * that need quotas, budgets or a calendar. No expression names a field that a supported version of Kubernetes lacks:
 * its API server would refuse the policy.
 */
import type { LintCode } from "../../../../bindings/js/abi.ts";

/** What a policy is about. */
export type PolicyKind = "Job" | "CronJob";

/** What the settings say that an expression needs. */
export interface PolicyContext {
  /** Values of managedBy that a controller answers to; undefined: they are not known. */
  readonly managers: readonly string[] | undefined;
  /** A GitOps tool applies the Jobs. */
  readonly gitOps: boolean;
}

type Expression = string | ((context: PolicyContext) => string);

/** An expression for the kinds that the rule is about. */
interface PolicyRule {
  readonly Job?: Expression;
  readonly CronJob?: Expression;
  /** The rule is silent about this kind unless the settings name it. */
  readonly onlyIfSet?: PolicyKind;
}

const ARGO_HOOK = "argocd.argoproj.io/hook";
const HELM_HOOK = "helm.sh/hook";

const has = (map: string, key: string): string => `'${key}' in variables.${map} && variables.${map}['${key}'] != ''`;
const text = (map: string, key: string): string => `('${key}' in variables.${map} ? variables.${map}['${key}'] : '')`;
const both = (expression: Expression): PolicyRule => ({ Job: expression, CronJob: expression });

/** The variables of the expressions, by kind: a later one may name an earlier one. */
export const POLICY_VARIABLES: Readonly<Record<PolicyKind, Readonly<Record<string, string>>>> = (() => {
  const ofBoth = {
    pod: "variables.spec.template.spec",
    completions: "has(variables.spec.completions) ? variables.spec.completions : -1",
    pods:
      "variables.completions >= 0 && variables.completions < variables.spec.parallelism" +
      " ? variables.completions : variables.spec.parallelism",
    failureRules: "has(variables.spec.podFailurePolicy) ? variables.spec.podFailurePolicy.rules : []",
    isEndless: "!has(variables.spec.activeDeadlineSeconds) && !has(variables.pod.activeDeadlineSeconds)",
    allContainers: "variables.pod.containers + (has(variables.pod.initContainers) ? variables.pod.initContainers : [])",
    indexDigits:
      "variables.spec.completionMode == 'Indexed' && variables.completions > 0" +
      " ? string(variables.completions - 1).size() : 0",
  };
  return {
    Job: {
      spec: "object.spec",
      ...ofBoth,
      labels: "has(object.metadata.labels) ? object.metadata.labels : {}",
      annotations: "has(object.metadata.annotations) ? object.metadata.annotations : {}",
      isHelmHook: has("annotations", HELM_HOOK),
      isArgoHook: has("annotations", ARGO_HOOK),
      isUnderGitOps:
        `!variables.isArgoHook && (${has("annotations", "argocd.argoproj.io/tracking-id")} ||` +
        ` ${has("labels", "argocd.argoproj.io/instance")} || ${has("labels", "kustomize.toolkit.fluxcd.io/name")})`,
      isGenerated: "has(object.metadata.generateName) && object.metadata.generateName != ''",
      nameLength: "object.metadata.name.size()",
    },
    CronJob: {
      spec: "object.spec.jobTemplate.spec",
      ...ofBoth,
      // A Job of it is called as the CronJob, with a dash and the minutes since 1970.
      nameLength: "object.metadata.name.size() + 9",
    },
  };
})();

const underGitOps = ({ gitOps }: PolicyContext): string =>
  gitOps ? "(!variables.isArgoHook)" : "variables.isUnderGitOps";

const HELM_POLICY = text("annotations", "helm.sh/hook-delete-policy");
const ARGO_POLICY = text("annotations", "argocd.argoproj.io/hook-delete-policy");
const isTooLong = "variables.indexDigits > 0 && variables.nameLength > 62 - variables.indexDigits";
const isCut = "variables.nameLength > (variables.indexDigits > 0 ? 56 - variables.indexDigits : 58)";
const MINUTES = "^ *(\\\\*|\\\\?|\\\\*/1|0-59) +";
const CHOSEN = "([0-9]+(,[0-9]+)*|[^ ]*/[0-9]+)";

/** By the codes of the rules, in the order of docs/lint.md. */
export const POLICY_RULES: Readonly<Partial<Record<LintCode, PolicyRule>>> = {
  LastRetryKilled: both("variables.pod.restartPolicy == 'OnFailure' && variables.spec.backoffLimit <= 3"),
  FailedLogsLost: both("variables.pod.restartPolicy == 'OnFailure' && variables.spec.backoffLimit > 3"),
  LimitPerIndexUnused: both(
    "has(variables.spec.backoffLimitPerIndex) && variables.spec.backoffLimit <= variables.spec.backoffLimitPerIndex" +
      " && !variables.failureRules.exists(rule, rule.action == 'FailIndex')",
  ),
  FailedIndexesUnlimited: both(
    "variables.completions > 0 && has(variables.spec.maxFailedIndexes)" +
      " && variables.spec.maxFailedIndexes >= variables.completions",
  ),
  DisruptionsCount: both(
    "!has(variables.spec.backoffLimitPerIndex) && variables.spec.backoffLimit > 0" +
      " && variables.pods > variables.spec.backoffLimit" +
      " && !variables.failureRules.exists(rule, rule.action == 'Ignore' && has(rule.onPodConditions)" +
      " && rule.onPodConditions.exists(condition, condition.type == 'DisruptionTarget'))",
  ),
  NoDeadline: { ...both("variables.isEndless"), onlyIfSet: "CronJob" },
  // 30 s is the default of the API server, and the rule is silent about defaults.
  GracePastDeadline: both(
    "has(variables.spec.activeDeadlineSeconds) && variables.pod.terminationGracePeriodSeconds != 30" +
      " && variables.pod.terminationGracePeriodSeconds > variables.spec.activeDeadlineSeconds",
  ),
  NoTimeToLive: {
    Job: (context) =>
      `!has(variables.spec.ttlSecondsAfterFinished) && !${underGitOps(context)}` +
      " && !variables.isHelmHook && !variables.isArgoHook" +
      // A CronJob deletes only the Jobs that it controls.
      " && !(has(object.metadata.ownerReferences) && object.metadata.ownerReferences.exists(owner," +
      " owner.kind != 'CronJob' || (has(owner.controller) && owner.controller)))" +
      ` && ${text("labels", "app.kubernetes.io/managed-by")} != 'Helm'`,
  },
  TimeToLiveZero: {
    Job: (context) =>
      "has(variables.spec.ttlSecondsAfterFinished) && variables.spec.ttlSecondsAfterFinished == 0" +
      ` && !${underGitOps(context)} && !variables.isHelmHook && !variables.isArgoHook`,
    CronJob:
      "has(variables.spec.ttlSecondsAfterFinished) && variables.spec.ttlSecondsAfterFinished == 0" +
      " && object.spec.failedJobsHistoryLimit == 0",
  },
  TimeToLiveUnderGitOps: {
    Job: (context) => `has(variables.spec.ttlSecondsAfterFinished) && ${underGitOps(context)}`,
  },
  TimeToLiveInCronJob: {
    CronJob: "has(variables.spec.ttlSecondsAfterFinished) && object.spec.failedJobsHistoryLimit != 0",
  },
  ForbidWithoutDeadline: { CronJob: "variables.isEndless && object.spec.concurrencyPolicy == 'Forbid'" },
  AllowWithoutDeadline: { CronJob: "variables.isEndless && object.spec.concurrencyPolicy == 'Allow'" },
  EveryMinute: {
    CronJob:
      `!object.spec.schedule.contains('TZ') && (object.spec.schedule.matches('${MINUTES}${CHOSEN} ')` +
      ` || object.spec.schedule.matches('${MINUTES}[*?] +${CHOSEN} '))`,
  },
  StartingDeadlineShort: {
    CronJob: "has(object.spec.startingDeadlineSeconds) && object.spec.startingDeadlineSeconds < 10",
  },
  NoFailedHistory: { CronJob: "object.spec.failedJobsHistoryLimit == 0" },
  HookFindsOldJob: {
    Job:
      "variables.isHelmHook && !has(variables.spec.ttlSecondsAfterFinished) && !variables.isGenerated" +
      " && !object.metadata.name.matches('-[0-9]+$')" +
      ` && ${HELM_POLICY}.contains('hook-succeeded') != ${HELM_POLICY}.contains('hook-failed')` +
      ` && !${HELM_POLICY}.contains('before-hook-creation')`,
  },
  HookFailureDeleted: {
    Job:
      `(variables.isHelmHook && ${HELM_POLICY}.contains('hook-failed')) ||` +
      ` ((variables.isHelmHook || variables.isArgoHook) && ${ARGO_POLICY}.contains('HookFailed'))`,
  },
  HookOutlivesHelm: {
    Job:
      "variables.isHelmHook && variables.spec.backoffLimit >= 6 && !has(variables.pod.activeDeadlineSeconds)" +
      " && !(has(variables.spec.activeDeadlineSeconds) && variables.spec.activeDeadlineSeconds <= 300)",
  },
  HookTimeToLive: {
    Job:
      "(variables.isHelmHook || variables.isArgoHook) && has(variables.spec.ttlSecondsAfterFinished)" +
      " && variables.spec.ttlSecondsAfterFinished < 60",
  },
  ParallelismUnused: both("variables.completions > 0 && variables.spec.parallelism > variables.completions"),
  NoPodsWanted: both(
    "variables.spec.parallelism == 0 && variables.completions != 0" +
      " && !(has(variables.spec.suspend) && variables.spec.suspend)",
  ),
  NoCompletionsWanted: both("variables.completions == 0"),
  MemoryUnlimited: both(
    "variables.allContainers.exists(container, has(container.resources) && has(container.resources.requests)" +
      " && 'memory' in container.resources.requests" +
      " && !(has(container.resources.limits) && 'memory' in container.resources.limits))",
  ),
  UnknownManager: both(
    ({ managers }) =>
      "has(variables.spec.managedBy) && variables.spec.managedBy != 'kubernetes.io/job-controller' && " +
      (managers === undefined
        ? "variables.spec.managedBy.startsWith('kubernetes.io/')"
        : `!(variables.spec.managedBy in ${JSON.stringify(managers)})`),
  ),
  OwnSelector: both("has(variables.spec.manualSelector) && variables.spec.manualSelector"),
  // The API server itself refuses such a Job.
  GeneratedNameTooLong: { CronJob: isTooLong },
  PodNamesCut: { Job: isCut, CronJob: `!(${isTooLong}) && ${isCut}` },
};
