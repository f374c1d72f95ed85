/** The structs of admissionregistration.k8s.io/v1. ../fields.ts says how to read a row. */
export const admissionregistration: Readonly<Record<string, string>> = {
  AuditAnnotation: "key! valueExpression!",
  ExpressionWarning: "fieldRef!=2 warning!",
  MatchCondition: "name! expression!",
  MatchResources:
    "namespaceSelector* objectSelector* resourceRules excludeResourceRules matchPolicy*=7~MatchPolicyType",
  MutatingWebhook:
    "name! clientConfig! rules failurePolicy*~FailurePolicyType matchPolicy*=9~MatchPolicyType namespaceSelector*=5 objectSelector*=11 sideEffects*!=6~SideEffectClass timeoutSeconds* admissionReviewVersions! reinvocationPolicy*=10~ReinvocationPolicyType matchConditions=12",
  MutatingWebhookConfiguration: "metadata webhooks",
  NamedRuleWithOperations: "resourceNames operations=2.1 apiGroups=2.2.1 apiVersions resources scope*~ScopeType",
  ParamKind: "apiVersion kind",
  ParamRef: "name namespace selector* parameterNotFoundAction*~ParameterNotFoundActionType",
  RuleWithOperations: "operations apiGroups=2.1 apiVersions resources scope*~ScopeType",
  ServiceReference: "namespace! name! path* port*",
  TypeChecking: "expressionWarnings",
  ValidatingAdmissionPolicy: "metadata spec status",
  ValidatingAdmissionPolicyBinding: "metadata spec",
  ValidatingAdmissionPolicyBindingSpec: "policyName paramRef* matchResources* validationActions",
  ValidatingAdmissionPolicySpec:
    "paramKind* matchConstraints* validations failurePolicy*~FailurePolicyType auditAnnotations matchConditions variables",
  ValidatingAdmissionPolicyStatus: "observedGeneration typeChecking* conditions",
  ValidatingWebhook:
    "name! clientConfig! rules failurePolicy*~FailurePolicyType matchPolicy*=9~MatchPolicyType namespaceSelector*=5 objectSelector*=10 sideEffects*!=6~SideEffectClass timeoutSeconds* admissionReviewVersions! matchConditions=11",
  ValidatingWebhookConfiguration: "metadata webhooks",
  Validation: "expression! message reason*~StatusReason messageExpression",
  Variable: "name! expression!",
  WebhookClientConfig: "url*=3 service*=1 caBundle",
};
