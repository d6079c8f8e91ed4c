{{- /* A ServerConfig in protobuf's text format. advertise is not here, as each pod has its own: it is a flag. */ -}}
{{- define "aaren.settings" -}}
listen: "{{ .Values.bindAddress }}:7860"
metrics_listen: "{{ .Values.bindAddress }}:{{ .Values.metricsPort }}"
{{ if int .Values.adminPort -}}
admin_address: "{{ ternary "[::1]" "127.0.0.1" (contains ":" .Values.bindAddress) }}:{{ int .Values.adminPort }}"
{{ end -}}
grace: "{{ int .Values.graceSeconds }}s"
store: {{ upper .Values.store.kind }}
{{ include "aaren.storeSettings" . -}}
{{ include "aaren.accessSettings" . -}}
{{ if .Values.models.volume -}}
models: "/models"
{{ end -}}
{{ if not (hasKey .Values.settings "shards") -}}
shards: {{ include "aaren.cores" . }}
{{ end -}}
{{ range $name, $value := .Values.settings -}}
{{ $name }}: {{ include "aaren.settingValue" (list $name $value) }}
{{ end -}}
{{- end -}}

{{- define "aaren.storeSettings" -}}
{{ if eq .Values.store.kind "rocksdb" -}}
data_dir: "/data/sessions"
sync: {{ upper .Values.store.sync }}
{{ else if eq .Values.store.kind "redis" -}}
redis: {{ join "," .Values.redis.addresses | quote }}
redis_prefix: {{ .Values.redis.prefix | quote }}
redis_timeout: {{ .Values.redis.timeout | quote }}
{{ with .Values.redis.sentinel -}}
redis_sentinel: {{ quote . }}
{{ end -}}
{{ if .Values.redis.tls.secretName -}}
redis_ca: "/etc/aaren/redis-tls/ca.crt"
{{ if .Values.redis.tls.clientCert -}}
redis_cert: "/etc/aaren/redis-tls/tls.crt"
redis_key: "/etc/aaren/redis-tls/tls.key"
{{ end -}}
{{ end -}}
{{ if .Values.redis.passwordSecret.name -}}
redis_password_file: "/etc/aaren/redis/password"
{{ end -}}
{{ end -}}
{{- end -}}

{{- define "aaren.accessSettings" -}}
{{ if .Values.tls.secretName -}}
tls_cert: "/etc/aaren/tls/tls.crt"
tls_key: "/etc/aaren/tls/tls.key"
{{ if .Values.tls.clientCa -}}
tls_client_ca: "/etc/aaren/tls/ca.crt"
{{ end -}}
{{ else -}}
insecure: true
{{ end -}}
{{ if .Values.callers.secretName -}}
callers: "/etc/aaren/callers/callers"
{{ end -}}
{{ if .Values.jwt.configMapName -}}
jwks: "/etc/aaren/jwt/jwks.json"
jwt_issuer: {{ quote .Values.jwt.issuer }}
jwt_audience: {{ quote .Values.jwt.audience }}
{{ end -}}
{{ if .Values.traceCa.configMapName -}}
trace_ca: "/etc/aaren/trace/ca.crt"
{{ end -}}
{{- end -}}

{{- /* Names of enumerations are in capitals and have no quotes. */ -}}
{{- define "aaren.settingValue" -}}
{{- $name := index . 0 -}}{{- $value := index . 1 -}}
{{- if has $name (list "device" "tier" "log_format" "log_level") -}}
{{- upper $value -}}
{{- else if eq $name "trace_sampling" -}}
{{- float64 $value -}}
{{- else if kindIs "string" $value -}}
{{- quote $value -}}
{{- else -}}
{{- int64 $value -}}
{{- end -}}
{{- end -}}

{{- /* The server counts the machine's cores, not what its control group grants. 0 leaves it to the server. */ -}}
{{- define "aaren.cores" -}}
{{- $resources := .Values.resources -}}
{{- $cpu := dig "limits" "cpu" (dig "requests" "cpu" "0" $resources) $resources | toString -}}
{{- if hasSuffix "m" $cpu -}}
{{- trimSuffix "m" $cpu | float64 | mulf 0.001 | ceil | int -}}
{{- else -}}
{{- float64 $cpu | ceil | int -}}
{{- end -}}
{{- end -}}
