{{- define "aaren.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile: {type: RuntimeDefault}
{{- end -}}

{{- define "aaren.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
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
{{- end -}}

{{- define "aaren.volumes" -}}
- name: settings
  configMap: {name: {{ include "aaren.fullname" . }}}
- name: tmp
  emptyDir: {sizeLimit: 64Mi}
{{- if and (eq .Values.store.kind "rocksdb") (not .Values.persistence.enabled) }}
- name: data
  emptyDir: {}
{{- end }}
{{- with .Values.redis.passwordSecret }}
{{- if .name }}
- name: redis-password
  secret: {secretName: {{ .name }}, defaultMode: 0440, items: [{key: {{ .key }}, path: password}]}
{{- end }}
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
{{- end -}}

{{- define "aaren.resources" -}}
{{- $resources := deepCopy .Values.resources -}}
{{- if gt (int .Values.gpu.count) 0 -}}
{{- $_ := set $resources "limits" (merge (dict "nvidia.com/gpu" (int .Values.gpu.count)) (default dict $resources.limits)) -}}
{{- end -}}
{{- toYaml $resources -}}
{{- end -}}
