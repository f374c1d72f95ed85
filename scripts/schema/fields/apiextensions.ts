/** The structs of apiextensions.k8s.io/v1. ../fields.ts says how to read a row. */
export const apiextensions: Readonly<Record<string, string>> = {
  CustomResourceColumnDefinition: "name! type! format description priority jsonPath!",
  CustomResourceConversion: "strategy!~ConversionStrategyType webhook*",
  CustomResourceDefinition: "metadata spec! status",
  CustomResourceDefinitionCondition:
    "type!~CustomResourceDefinitionConditionType status!~ConditionStatus lastTransitionTime reason message observedGeneration",
  CustomResourceDefinitionNames: "plural! singular shortNames kind! listKind categories",
  CustomResourceDefinitionSpec: "group! names!=3 scope!~ResourceScope versions!=7 conversion*=9 preserveUnknownFields",
  CustomResourceDefinitionStatus: "conditions! acceptedNames! storedVersions! observedGeneration",
  CustomResourceDefinitionVersion:
    "name! served! storage! deprecated=7 deprecationWarning* schema*=4 subresources* additionalPrinterColumns selectableFields=9",
  CustomResourceSubresourceScale: "specReplicasPath! statusReplicasPath! labelSelectorPath*",
  CustomResourceSubresourceStatus: "",
  CustomResourceSubresources: "status* scale*",
  CustomResourceValidation: "openAPIV3Schema*",
  ExternalDocumentation: "description url",
  JSONSchemaProps:
    "id $schema~JSONSchemaURL $ref* description type format title default* maximum* exclusiveMaximum minimum* exclusiveMinimum maxLength* minLength* pattern maxItems* minItems* uniqueItems multipleOf* enum maxProperties* minProperties* required items* allOf oneOf anyOf not* properties additionalProperties* patternProperties dependencies additionalItems* definitions externalDocs* example* nullable x-kubernetes-preserve-unknown-fields* x-kubernetes-embedded-resource x-kubernetes-int-or-string x-kubernetes-list-map-keys x-kubernetes-list-type* x-kubernetes-map-type* x-kubernetes-validations",
  SelectableField: "jsonPath!",
  ApiextensionsServiceReference: "namespace! name! path* port*",
  ValidationRule: "rule! message messageExpression reason*~FieldValueErrorReason fieldPath optionalOldSelf*",
  ApiextensionsWebhookClientConfig: "url*=3 service*=1 caBundle",
  WebhookConversion: "clientConfig*=2 conversionReviewVersions!",
};
