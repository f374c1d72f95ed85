/** The structs of admissionregistration.k8s.io/v1. ../fields.ts says how to read a row. */
export const admissionregistration: Readonly<Record<string, string>> = {
  AuditAnnotation: "key! valueExpression!",
  ExpressionWarning: "fieldRef!=2 warning!",
  MatchCondition: "name! expression!",
  MatchResources:
    "@atomic namespaceSelector* objectSelector* resourceRules excludeResourceRules matchPolicy*=7~MatchPolicyType",
  MatchPolicyType: "|Equivalent|Exact",
  MutatingWebhook:
    "name! clientConfig! rules failurePolicy*~FailurePolicyType matchPolicy*=9~MatchPolicyType namespaceSelector*=5 objectSelector*=11 sideEffects*!=6~SideEffectClass timeoutSeconds* admissionReviewVersions! reinvocationPolicy*=10~ReinvocationPolicyType matchConditions=12[name]",
  FailurePolicyType: "|Fail|Ignore",
  SideEffectClass: "|None|NoneOnDryRun|Some|Unknown",
  ReinvocationPolicyType: "|IfNeeded|Never",
  MutatingWebhookConfiguration: "@served metadata webhooks[name]",
  NamedRuleWithOperations:
    "@atomic resourceNames operations=2.1~[]OperationType apiGroups=2.2.1 apiVersions resources scope*~ScopeType",
  OperationType: "|*|CONNECT|CREATE|DELETE|UPDATE",
  ScopeType: "|*|Cluster|Namespaced",
  ParamKind: "@atomic apiVersion kind",
  ParamRef: "@atomic name namespace selector* parameterNotFoundAction*~ParameterNotFoundActionType",
  RuleWithOperations: "operations~[]OperationType apiGroups=2.1 apiVersions resources scope*~ScopeType",
  ServiceReference: "namespace! name! path* port*",
  TypeChecking: "expressionWarnings",
  ValidatingAdmissionPolicy: "@served metadata spec status",
  ValidatingAdmissionPolicyBinding: "@served metadata spec",
  ValidatingAdmissionPolicyBindingSpec:
    "policyName paramRef* matchResources* validationActions~[]ValidationAction[apply:set]",
  ValidationAction: "|Audit|Deny|Warn",
  ValidatingAdmissionPolicySpec:
    "paramKind* matchConstraints* validations failurePolicy*~FailurePolicyType auditAnnotations matchConditions[name] variables[name]",
  ValidatingAdmissionPolicyStatus: "observedGeneration typeChecking* conditions[apply:type]",
  ValidatingWebhook:
    "name! clientConfig! rules failurePolicy*~FailurePolicyType matchPolicy*=9~MatchPolicyType namespaceSelector*=5 objectSelector*=10 sideEffects*!=6~SideEffectClass timeoutSeconds* admissionReviewVersions! matchConditions=11[name]",
  ValidatingWebhookConfiguration: "@served metadata webhooks[name]",
  Validation: "expression! message reason*~StatusReason messageExpression",
  Variable: "@atomic name! expression!",
  WebhookClientConfig: "url*=3 service*=1 caBundle",
};
