{{- define "stint.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "stint.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 47 | trimSuffix "-" }}
{{- else if contains (include "stint.name" .) .Release.Name }}
{{- .Release.Name | trunc 47 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "stint.name" .) | trunc 47 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "stint.selectorLabels" -}}
app.kubernetes.io/name: {{ include "stint.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "stint.labels" -}}
{{ include "stint.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{/*
The settings with what this chart decides: as JSON, for fromJson. An empty list of namespaces means all of them, and has
no flag.
*/}}
{{- define "stint.settings" -}}
{{- $settings := deepCopy .Values.settings }}
{{- if not $settings.namespaces }}{{ $_ := unset $settings "namespaces" }}{{ end }}
{{- if include "stint.elects" . }}
{{- if not $settings.leaseName }}{{ $_ := set $settings "leaseName" (include "stint.fullname" .) }}{{ end }}
{{- end }}
{{- toJson $settings }}
{{- end }}

{{/* The name of the Lease: each shard has its own. */}}
{{- define "stint.lease" -}}
{{- $settings := include "stint.settings" . | fromJson }}
{{- $settings.leaseName }}{{ with $settings.shard }}-shard-{{ replace "/" "-of-" . }}{{ end }}
{{- end }}

{{/* A value as the command line takes it. Numbers come as floats, which would be written as 1e+06. */}}
{{- define "stint.argument" -}}
{{- if kindIs "slice" . }}{{ join "," . }}
{{- else if kindIs "float64" . }}{{ if eq (floor .) . }}{{ int64 . }}{{ else }}{{ . }}{{ end }}
{{- else }}{{ . }}
{{- end }}
{{- end }}

{{/* "true" or nothing. */}}
{{- define "stint.elects" -}}
{{- if and (ne (toString .Values.settings.leaderElect) "false") (not .Values.settings.shadow) }}true{{ end }}
{{- end }}

{{/* The port that is served, or nothing. */}}
{{- define "stint.port" -}}
{{- $listen := .Values.settings.listen | default "" }}
{{- if regexMatch "^(127\\.|\\[::1\\]|localhost)" $listen }}
{{- $allowed := "allowed is an address of the pod such as 0.0.0.0:8080, or off" }}
{{- fail (printf "settings.listen is %s, which the kubelet's probes cannot reach; %s" $listen $allowed) }}
{{- end }}
{{- if ne $listen "off" }}{{ regexFind "[0-9]+$" $listen }}{{ end }}
{{- end }}

{{/*
What the controller asks of the API server. deploy/controller/base/rbac.yaml says why, and a test that nothing is too
much.
*/}}
{{- define "stint.rules" -}}
{{- if .Values.settings.shadow -}}
- apiGroups: [batch]
  resources: [jobs]
  verbs: [list, watch]
- apiGroups: [""]
  resources: [pods]
  verbs: [list, watch]
{{- else -}}
{{- $ttl := .Values.settings.ttlAfterFinished }}
{{- $removes := ternary .Values.settings.defaultController $ttl (kindIs "invalid" $ttl) -}}
- apiGroups: [batch]
  resources: [jobs]
  verbs: [get, list, watch{{ if $removes }}, delete{{ end }}]
- apiGroups: [batch]
  resources: [jobs/status]
  verbs: [patch]
- apiGroups: [batch]
  resources: [jobs/finalizers]
  verbs: [update]
- apiGroups: [""]
  resources: [pods]
  verbs: [list, watch, create, patch, delete]
- apiGroups: [""]
  resources: [events]
  verbs: [create, patch]
{{- if contains "WorkloadWithJob=true" (.Values.settings.featureGates | default "") }}
- apiGroups: [scheduling.k8s.io]
  resources: [workloads, podgroups]
  verbs: [get, list, watch, create, patch]
{{- end }}
{{- end }}
{{- end }}
