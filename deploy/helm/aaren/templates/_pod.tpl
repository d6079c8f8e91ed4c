{{- /* A list of a map and of a value: the map without what is null or that value, which Kubernetes may choose. An
      umbrella chart's null does not take a default away, so "" does, too. */ -}}
{{- define "aaren.given" -}}
{{- $given := dict -}}
{{- $left := list "" (index . 1 | toString) -}}
{{- range $name, $value := index . 0 -}}
{{- if not (or (kindIs "invalid" $value) (has (toString $value) $left)) -}}{{- $_ := set $given $name $value -}}{{- end -}}
{{- end -}}
{{- toYaml $given -}}
{{- end -}}

{{- /* OpenShift's restricted profile refuses a user and groups of the chart's choice. */ -}}
{{- define "aaren.podSecurity" -}}
{{- $own := .Capabilities.APIVersions.Has "security.openshift.io/v1" | ternary 65532 "" -}}
{{- include "aaren.given" (list .Values.podSecurityContext $own) -}}
{{- end -}}

{{- /* What all pods have. */ -}}
{{- define "aaren.podSettings" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext: {{- include "aaren.podSecurity" . | nindent 2 }}
{{- with concat (($.Values.global | default dict).imagePullSecrets | default list) (.Values.imagePullSecrets | default list) }}
imagePullSecrets:
  {{- range . }}
  - {name: {{ kindIs "string" . | ternary . (get (kindIs "string" . | ternary dict .) "name") }}}
  {{- end }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.dnsPolicy }}
dnsPolicy: {{ . }}
{{- end }}
{{- with .Values.dnsConfig }}
dnsConfig: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- /* Where pods of a kind go beside one another: a list of the root context, their affinity and their selector. */ -}}
{{- define "aaren.spread" -}}
{{- $selector := index . 2 -}}
{{- with index . 1 }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with (index . 0).Values.topologySpread }}
topologySpreadConstraints:
  {{- range . }}
  - {{ toYaml . | nindent 4 | trim }}
    labelSelector:
      matchLabels: {{- $selector | nindent 8 }}
  {{- end }}
{{- end }}
{{- end -}}

{{- /* Kubernetes' gRPC probes speak no TLS. What is left then is whether the server accepts connections. */ -}}
{{- define "aaren.probe" -}}
{{- $root := index . 0 -}}{{- $service := index . 1 -}}
{{- if $root.Values.tls.secretName -}}
tcpSocket: {port: grpc}
{{- else -}}
grpc: {port: 7860, service: {{ quote $service }}}
{{- end -}}
{{- end -}}

{{- /* "" is the process, aaren.v1.Streaming is whether it should get streams: not while it drains or its store is away. */ -}}
{{- define "aaren.probes" -}}
startupProbe:
  {{- include "aaren.probe" (list . "") | nindent 2 }}
  periodSeconds: 1
  timeoutSeconds: 1
  failureThreshold: 120
readinessProbe:
  {{- include "aaren.probe" (list . "aaren.v1.Streaming") | nindent 2 }}
  periodSeconds: 2
  timeoutSeconds: 2
  failureThreshold: 2
livenessProbe:
  {{- include "aaren.probe" (list . "") | nindent 2 }}
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
{{- end -}}

{{- define "aaren.mounts" -}}
- {name: settings, mountPath: /etc/aaren/settings, readOnly: true}
- {name: tmp, mountPath: /tmp}
{{- if eq .Values.store.kind "rocksdb" }}
- {name: data, mountPath: /data}
{{- end }}
{{- if .Values.redis.passwordSecret.name }}
- {name: redis-password, mountPath: /etc/aaren/redis, readOnly: true}
{{- end }}
{{- if .Values.redis.tls.secretName }}
- {name: redis-tls, mountPath: /etc/aaren/redis-tls, readOnly: true}
{{- end }}
{{- if .Values.tls.secretName }}
- {name: tls, mountPath: /etc/aaren/tls, readOnly: true}
{{- end }}
{{- if .Values.callers.secretName }}
- {name: callers, mountPath: /etc/aaren/callers, readOnly: true}
{{- end }}
{{- if .Values.jwt.configMapName }}
- {name: jwt, mountPath: /etc/aaren/jwt, readOnly: true}
{{- end }}
{{- if .Values.traceCa.configMapName }}
- {name: trace-ca, mountPath: /etc/aaren/trace, readOnly: true}
{{- end }}
{{- if .Values.models.volume }}
- {name: models, mountPath: /models, readOnly: true}
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "aaren.volumes" -}}
- name: settings
  configMap: {name: {{ include "aaren.fullname" . }}}
- name: tmp
  emptyDir: {sizeLimit: 64Mi}
{{- if eq .Values.store.kind "rocksdb" }}
{{- if not .Values.persistence.enabled }}
- name: data
  emptyDir: {}
{{- else if .Values.persistence.existingClaim }}
- name: data
  persistentVolumeClaim: {claimName: {{ .Values.persistence.existingClaim }}}
{{- end }}
{{- end }}
{{- with .Values.redis.passwordSecret }}
{{- if .name }}
- name: redis-password
  secret: {secretName: {{ .name }}, defaultMode: 0440, items: [{key: {{ .key }}, path: password}]}
{{- end }}
{{- end }}
{{- with .Values.redis.tls.secretName }}
- name: redis-tls
  secret: {secretName: {{ . }}, defaultMode: 0440}
{{- end }}
{{- if .Values.tls.secretName }}
- name: tls
  secret: {secretName: {{ .Values.tls.secretName }}, defaultMode: 0440}
{{- end }}
{{- if .Values.callers.secretName }}
- name: callers
  secret: {secretName: {{ .Values.callers.secretName }}, defaultMode: 0440, items: [{key: {{ .Values.callers.key }}, path: callers}]}
{{- end }}
{{- if .Values.jwt.configMapName }}
- name: jwt
  configMap: {name: {{ .Values.jwt.configMapName }}, items: [{key: {{ .Values.jwt.key }}, path: jwks.json}]}
{{- end }}
{{- if .Values.traceCa.configMapName }}
- name: trace-ca
  configMap: {name: {{ .Values.traceCa.configMapName }}, items: [{key: {{ .Values.traceCa.key }}, path: ca.crt}]}
{{- end }}
{{- if .Values.models.volume }}
- name: models
  {{- toYaml .Values.models.volume | nindent 2 }}
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "aaren.resources" -}}
{{- $resources := deepCopy .Values.resources -}}
{{- if gt (int .Values.gpu.count) 0 -}}
{{- $_ := set $resources "limits" (merge (dict "nvidia.com/gpu" (int .Values.gpu.count)) (default dict $resources.limits)) -}}
{{- end -}}
{{- toYaml $resources -}}
{{- end -}}
