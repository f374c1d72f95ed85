/** The structs of apiextensions.k8s.io/v1. ../fields.ts says how to read a row. */
export const apiextensions: Readonly<Record<string, string>> = {
  CustomResourceColumnDefinition: "name! type! format description priority jsonPath!",
  CustomResourceConversion: "strategy!~ConversionStrategyType webhook*",
  CustomResourceDefinition: "@served @unread metadata spec! status",
  CustomResourceDefinitionCondition:
    "type!~CustomResourceDefinitionConditionType status!~ConditionStatus lastTransitionTime reason message observedGeneration",
  CustomResourceDefinitionNames: "plural! singular shortNames kind! listKind categories",
  CustomResourceDefinitionSpec: "group! names!=3 scope!~ResourceScope versions!=7 conversion*=9 preserveUnknownFields",
  CustomResourceDefinitionStatus: "conditions![apply:type] acceptedNames! storedVersions! observedGeneration",
  CustomResourceDefinitionVersion:
    "name! served! storage! deprecated=7 deprecationWarning* schema*=4 subresources* additionalPrinterColumns selectableFields=9",
  CustomResourceSubresourceScale: "specReplicasPath! statusReplicasPath! labelSelectorPath*",
  CustomResourceSubresourceStatus: "",
  CustomResourceSubresources: "status*:CustomResourceSubresourceStatus scale*",
  CustomResourceValidation: "openAPIV3Schema*",
  ExternalDocumentation: "description url",
  JSONSchemaProps:
    "id $schema~JSONSchemaURL $ref* description type format title default* maximum* exclusiveMaximum minimum* exclusiveMinimum maxLength* minLength* pattern maxItems* minItems* uniqueItems multipleOf* enum maxProperties* minProperties* required items*:JSONSchemaPropsOrArray allOf oneOf anyOf not* properties additionalProperties*:JSONSchemaPropsOrBool patternProperties dependencies:JSONSchemaPropsOrStringArray additionalItems*:JSONSchemaPropsOrBool definitions externalDocs* example* nullable x-kubernetes-preserve-unknown-fields* x-kubernetes-embedded-resource x-kubernetes-int-or-string x-kubernetes-list-map-keys x-kubernetes-list-type* x-kubernetes-map-type* x-kubernetes-validations[rule]",
  SelectableField: "jsonPath!",
  ApiextensionsServiceReference: "@class=ApiextensionsV1ServiceReference namespace! name! path* port*",
  ValidationRule: "rule! message messageExpression reason*~FieldValueErrorReason fieldPath optionalOldSelf*",
  FieldValueErrorReason: "|FieldValueDuplicate|FieldValueForbidden|FieldValueInvalid|FieldValueRequired",
  ApiextensionsWebhookClientConfig: "@class=ApiextensionsV1WebhookClientConfig url*=3 service*=1 caBundle",
  WebhookConversion: "clientConfig*=2 conversionReviewVersions!",
};
