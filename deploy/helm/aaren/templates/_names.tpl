{{- /* An umbrella chart may have this one several times, by aliases. So there names are never shortened to the same. */ -}}
{{- define "aaren.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- $within := eq .Release.Name $name | or (and (eq .Chart.Name "aaren") (contains $name .Release.Name)) -}}
{{- $whole := ternary .Release.Name (printf "%s-%s" .Release.Name $name) $within -}}
{{- if or .Chart.IsRoot (le (len $whole) 40) -}}
{{- $whole | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" ($whole | trunc 31 | trimSuffix "-") ($whole | sha256sum | trunc 8) -}}
{{- end -}}
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

{{- /* REQUIRES: a list of the root context, an object's name, and its further labels and annotations. */ -}}
{{- define "aaren.meta" -}}
{{- $root := index . 0 -}}
name: {{ index . 1 }}
labels:
  {{- include "aaren.selector" $root | nindent 2 }}
  app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
  app.kubernetes.io/managed-by: {{ $root.Release.Service }}
  helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version }}
  {{- with merge dict (index . 2 | default dict) ($root.Values.commonLabels | default dict) }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with merge dict (index . 3 | default dict) ($root.Values.commonAnnotations | default dict) }}
annotations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- /* Further labels of a pod: a list of the root context and its own. */ -}}
{{- define "aaren.podLabels" -}}
{{- $root := index . 0 -}}
{{- with merge dict (index . 1 | default dict) ($root.Values.commonLabels | default dict) }}
{{- toYaml . }}
{{- end }}
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

{{- /* REQUIRES: a list of the root context, an image of the values and its tag by default. A repository that names no
      registry is in global.imageRegistry, if an umbrella chart has one. */ -}}
{{- define "aaren.image" -}}
{{- $root := index . 0 -}}{{- $image := index . 1 -}}
{{- $registry := ($root.Values.global | default dict).imageRegistry -}}
{{- if and $registry (not (regexMatch "^([^/]*[.:][^/]*|localhost)/" $image.repository)) -}}{{ $registry }}/{{- end -}}
{{- $image.repository -}}
{{- if $image.digest -}}@{{ $image.digest }}{{- else -}}:{{ default (index . 2) $image.tag }}{{- end -}}
{{- end -}}

{{- /* The server's: with a GPU, the one that has a library for it. */ -}}
{{- define "aaren.serverImage" -}}
{{- $tag := gt (int .Values.gpu.count) 0 | ternary (printf "%s-cuda" .Chart.AppVersion) .Chart.AppVersion -}}
{{- include "aaren.image" (list . .Values.image $tag) -}}
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
