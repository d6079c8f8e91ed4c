{{- /* What no schema can say: values that contradict one another. Each is refused by its name. */ -}}
{{- define "aaren.checks" -}}
{{- include "aaren.checkStore" . -}}
{{- include "aaren.checkTls" . -}}
{{- include "aaren.checkAdmin" . -}}
{{- include "aaren.checkFiles" . -}}
{{- end -}}

{{- define "aaren.checkStore" -}}
{{- $kind := .Values.store.kind -}}
{{- if eq (toString .Values.enabled) "false" -}}
{{- fail "enabled: is false; a chart that has this one as a dependency needs `condition: aaren.enabled` there to leave it out" -}}
{{- end -}}
{{- $claim := .Values.persistence.existingClaim -}}
{{- if and $claim (or (ne $kind "rocksdb") (not .Values.persistence.enabled)) -}}
{{- fail "persistence.existingClaim: needs store.kind rocksdb and persistence.enabled, as nothing else is kept in it" -}}
{{- end -}}
{{- if and $claim (gt (int (include "aaren.mostReplicas" .)) 1) -}}
{{- fail "persistence.existingClaim: is of one server, and replicas are more; two servers cannot share a folder" -}}
{{- end -}}
{{- if and (eq $kind "redis") (not .Values.redis.addresses) -}}
{{- fail "redis.addresses: store.kind is redis, and no address of a Redis is given" -}}
{{- end -}}
{{- if and .Values.redis.tls.clientCert (not .Values.redis.tls.secretName) -}}
{{- fail "redis.tls.clientCert: needs redis.tls.secretName, whose tls.crt it is" -}}
{{- end -}}
{{- if and (ne $kind "redis") .Values.redis.addresses -}}
{{- fail (printf "store.kind: redis.addresses are given, and the store is %s" $kind) -}}
{{- end -}}
{{- if and (ne $kind "redis") .Values.autoscaling.enabled -}}
{{- fail (printf "autoscaling.enabled: with store.kind %s a session is on one server, and scaling would leave it behind; use redis" $kind) -}}
{{- end -}}
{{- if and (include "aaren.ownStores" .) (not .Values.envoy.enabled) -}}
{{- fail (printf "replicas: %d servers with store.kind %s do not share sessions, and nothing keeps a client on its own; use redis, or set envoy.enabled" (int .Values.replicas) $kind) -}}
{{- end -}}
{{- $scaling := .Values.autoscaling -}}
{{- if and $scaling.enabled (gt (int $scaling.minReplicas) (int $scaling.maxReplicas)) -}}
{{- fail "autoscaling.minReplicas: is more than autoscaling.maxReplicas" -}}
{{- end -}}
{{- if and $scaling.enabled (not (or $scaling.cpu.enabled $scaling.tokens.enabled $scaling.sessions.enabled)) -}}
{{- fail "autoscaling.enabled: none of autoscaling.cpu, tokens and sessions is enabled" -}}
{{- end -}}
{{- end -}}

{{- define "aaren.checkTls" -}}
{{- if and .Values.jwt.configMapName (not (and .Values.jwt.issuer .Values.jwt.audience)) -}}
{{- fail "jwt.configMapName: needs jwt.issuer and jwt.audience, which a token must name" -}}
{{- end -}}
{{- if and .Values.traceCa.configMapName (not .Values.settings.trace_endpoint) -}}
{{- fail "traceCa.configMapName: needs settings.trace_endpoint, whose certificate it has signed" -}}
{{- end -}}
{{- if and .Values.tls.clientCa (not .Values.tls.secretName) -}}
{{- fail "tls.clientCa: needs tls.secretName, whose ca.crt it is" -}}
{{- end -}}
{{- if and .Values.tls.clientCa .Values.envoy.enabled -}}
{{- fail "tls.clientCa: Envoy ends the clients' connections, so the servers do not see their certificates; use envoy.tls.clientCa, and callers with tokens" -}}
{{- end -}}
{{- if and .Values.envoy.tls.clientCa (not .Values.envoy.tls.secretName) -}}
{{- fail "envoy.tls.clientCa: needs envoy.tls.secretName, whose ca.crt it is" -}}
{{- end -}}
{{- if and .Values.envoy.tls.secretName (not .Values.envoy.enabled) -}}
{{- fail "envoy.tls.secretName: envoy.enabled is false" -}}
{{- end -}}
{{- end -}}

{{- define "aaren.checkAdmin" -}}
{{- $known := or .Values.callers.secretName .Values.jwt.configMapName -}}
{{- if and (int .Values.adminPort) $known (not .Values.settings.admin_tenant) -}}
{{- fail "adminPort: callers or jwt are given, and settings.admin_tenant does not say whose admins may ask there" -}}
{{- end -}}
{{- if and .Values.settings.admin_tenant (not $known) -}}
{{- fail "settings.admin_tenant: neither callers nor jwt are given, so nobody is known to be of it" -}}
{{- end -}}
{{- if and (int .Values.adminPort) (eq (int .Values.adminPort) (int .Values.metricsPort)) -}}
{{- fail "adminPort: is that of metricsPort" -}}
{{- end -}}
{{- end -}}

{{- define "aaren.checkFiles" -}}
{{- if and .Values.monitoring.rules.enabled (not (.Files.Glob "files/rules/*.yml")) -}}
{{- fail "monitoring.rules.enabled: the chart's files/rules has no *.yml" -}}
{{- end -}}
{{- if and .Values.monitoring.dashboards.enabled (not (.Files.Glob "files/dashboards/*.json")) -}}
{{- fail "monitoring.dashboards.enabled: the chart's files/dashboards has no *.json" -}}
{{- end -}}
{{- end -}}
