{{- define "aaren.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "aaren.selector" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "aaren.serverSelector" -}}
{{ include "aaren.selector" . }}
app.kubernetes.io/component: server
{{- end -}}

{{- define "aaren.envoySelector" -}}
{{ include "aaren.selector" . }}
app.kubernetes.io/component: envoy
{{- end -}}

{{- define "aaren.labels" -}}
{{ include "aaren.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "aaren.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "aaren.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- /* Ends with where peers find a pod: its name goes in front. */ -}}
{{- define "aaren.podDomain" -}}
{{ include "aaren.fullname" . }}-headless.{{ .Release.Namespace }}.svc.{{ .Values.clusterDomain }}
{{- end -}}

{{- /* REQUIRES: a list of the root context and an image of the values. */ -}}
{{- define "aaren.image" -}}
{{- $root := index . 0 -}}{{- $image := index . 1 -}}
{{ $image.repository }}:{{ default $root.Chart.AppVersion $image.tag }}
{{- end -}}

{{- /* The server's: with a GPU, the one that has a library for it. */ -}}
{{- define "aaren.serverImage" -}}
{{- $cuda := gt (int .Values.gpu.count) 0 | ternary (printf "%s-cuda" .Chart.AppVersion) "" -}}
{{ .Values.image.repository }}:{{ coalesce .Values.image.tag $cuda .Chart.AppVersion }}
{{- end -}}

{{- /* The most servers that there may be. */ -}}
{{- define "aaren.mostReplicas" -}}
{{- if .Values.autoscaling.enabled -}}
{{- .Values.autoscaling.maxReplicas -}}
{{- else -}}
{{- .Values.replicas -}}
{{- end -}}
{{- end -}}

{{- /* Not empty where several servers have a store each: a session is then on one server alone. */ -}}
{{- define "aaren.ownStores" -}}
{{- if and (ne .Values.store.kind "redis") (gt (int (include "aaren.mostReplicas" .)) 1) -}}yes{{- end -}}
{{- end -}}
