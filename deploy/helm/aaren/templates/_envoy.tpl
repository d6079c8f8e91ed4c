{{- /* The files of Envoy's ConfigMap. */ -}}
{{- define "aaren.envoyFiles" -}}
envoy.yaml: |
  {{- include "aaren.envoyConfig" . | nindent 2 }}
{{- include "aaren.envoySecrets" . }}
{{- end -}}

{{- /* Envoy's own configuration. Hashing takes names, as the address of a pod changes when it comes back. */ -}}
{{- define "aaren.envoyConfig" -}}
node: {id: envoy, cluster: aaren}  # secrets by SDS want a node with a name
admin:
  address: {socket_address: {address: 127.0.0.1, port_value: 9901}}
overload_manager:
  {{- include "aaren.edgeOverload" . | nindent 2 }}
layered_runtime:
  layers:
    {{- include "aaren.edgeRuntime" . | nindent 4 }}
static_resources:
  listeners:
    {{- include "aaren.envoyStreams" . | nindent 4 }}
    {{- include "aaren.envoyStats" . | nindent 4 }}
  clusters:
    {{- include "aaren.envoyServers" . | nindent 4 }}
    - name: admin
      type: STATIC
      load_assignment:
        cluster_name: admin
        endpoints: [{lb_endpoints: [{endpoint: {address: {socket_address: {address: 127.0.0.1, port_value: 9901}}}}]}]
{{- end -}}

{{- define "aaren.envoyStreams" -}}
- name: streams
  address: {socket_address: {address: {{ trimAll "[]" .Values.bindAddress | quote }}, port_value: 7860}}
  per_connection_buffer_limit_bytes: 65536    # bytes that wait for a client that does not read
  max_connections_to_accept_per_socket_event: 8  # else a burst of connections keeps a thread from streams
  listener_filters:
    # New connections of all clients: each costs a handshake with Envoy, and another with a server.
    - name: envoy.filters.listener.local_ratelimit
      typed_config:
        "@type": type.googleapis.com/envoy.extensions.filters.listener.local_ratelimit.v3.LocalRateLimit
        stat_prefix: connections
        token_bucket: {max_tokens: 1000, tokens_per_fill: 50, fill_interval: 0.1s}
  filter_chains:
    - transport_socket_connect_timeout: 10s  # a TLS handshake that stops
      filters:
        - name: envoy.filters.network.http_connection_manager
          typed_config:
            "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
            {{- include "aaren.edgeManager" . | nindent 12 }}
      {{- if .Values.envoy.tls.secretName }}
      transport_socket:
        name: envoy.transport_sockets.tls
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext
          {{- if .Values.envoy.tls.clientCa }}
          require_client_certificate: true
          {{- end }}
          common_tls_context:
            alpn_protocols: [h2]
            {{- if .Values.envoy.tls.clientCa }}
            validation_context_sds_secret_config: {{ include "aaren.envoySds" "client_ca" }}
            {{- end }}
            tls_certificate_sds_secret_configs: [{{ include "aaren.envoySds" "certificate" }}]
      {{- end }}
{{- end -}}

{{- /* What Kubernetes and Prometheus ask for, and nothing else of the admin interface. */ -}}
{{- define "aaren.envoyStats" -}}
- name: stats
  address: {socket_address: {address: {{ trimAll "[]" .Values.bindAddress | quote }}, port_value: 9902}}
  ignore_global_conn_limit: true  # else Kubernetes restarts an Envoy that is full
  bypass_overload_manager: true
  filter_chains:
    - filters:
        - name: envoy.filters.network.http_connection_manager
          typed_config:
            "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
            stat_prefix: stats
            request_headers_timeout: 10s
            common_http_protocol_options: {idle_timeout: 60s}
            route_config:
              name: stats
              virtual_hosts:
                - name: stats
                  domains: ["*"]
                  routes:
                    - match: {path: /ready, headers: [{name: ":method", string_match: {safe_regex: {regex: "GET|HEAD"}}}]}
                      route: {cluster: admin}
                    - match: {path: /stats/prometheus, headers: [{name: ":method", string_match: {safe_regex: {regex: "GET|HEAD"}}}]}
                      route: {cluster: admin}
            http_filters:
              - name: envoy.filters.http.router
                typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router}
{{- end -}}

{{- /* Servers with a store each are not checked: while one is away its streams must wait, not begin anew elsewhere. */ -}}
{{- define "aaren.envoyServers" -}}
- name: servers
  type: STRICT_DNS
  dns_lookup_family: {{ ternary "V6_ONLY" "V4_PREFERRED" (contains ":" .Values.bindAddress) }}
  dns_refresh_rate: 2s  # deprecated in favor of the cluster type envoy.cluster.dns, which cannot hash names in 1.40
  connect_timeout: 1s
  lb_policy: MAGLEV
  common_lb_config:
    healthy_panic_threshold: {value: 0}
    consistent_hashing_lb_config: {use_hostname_for_hashing: true}
  circuit_breakers:
    thresholds:
      - max_connections: {{ int .Values.envoy.maxStreams }}
        max_pending_requests: {{ int .Values.envoy.maxStreams }}
        max_requests: {{ int .Values.envoy.maxStreams }}
  # Each client's connection has connections of its own to the servers, as without Envoy: nobody shares a connection
  # with a stranger whose calls end the connection, or fill the window.
  connection_pool_per_downstream_connection: true
  per_connection_buffer_limit_bytes: 65536
  typed_extension_protocol_options:
    envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
      "@type": type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions
      common_http_protocol_options: {idle_timeout: 2s}  # connections whose client has left
      explicit_http_config:
        http2_protocol_options:
          initial_stream_window_size: 262144      # replies that a client does not take wait at the server
          initial_connection_window_size: 1048576
          connection_keepalive: {interval: 30s, timeout: 10s}
  {{- if not (include "aaren.ownStores" .) }}
  health_checks:
    - timeout: 1s
      interval: {{ .Values.envoy.healthInterval }}
      no_traffic_interval: {{ .Values.envoy.healthInterval }}
      unhealthy_threshold: 2
      healthy_threshold: 1
      grpc_health_check: {service_name: aaren.v1.Streaming}
  {{- end }}
  {{- if .Values.tls.secretName }}
  transport_socket:
    name: envoy.transport_sockets.tls
    typed_config:
      "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext
      auto_host_sni: true
      auto_sni_san_validation: true
      common_tls_context:
        alpn_protocols: [h2]
        validation_context_sds_secret_config: {{ include "aaren.envoySds" "server_ca" }}
  {{- end }}
  load_assignment:
    cluster_name: servers
    endpoints:
      - lb_endpoints:
          {{- range $i := until (int (include "aaren.mostReplicas" .)) }}
          - endpoint: {address: {socket_address: {address: {{ include "aaren.envoyEndpoint" (list $ $i) }}, port_value: 7860}}}
          {{- end }}
{{- end -}}

{{- define "aaren.envoyEndpoint" -}}
{{- $root := index . 0 -}}{{- $pod := printf "%s-%d" (include "aaren.fullname" $root) (index . 1) -}}
{{- if include "aaren.ownStores" $root -}}
{{ $pod }}.{{ $root.Release.Namespace }}.svc.{{ $root.Values.clusterDomain }}
{{- else -}}
{{ $pod }}.{{ include "aaren.podDomain" $root }}
{{- end -}}
{{- end -}}
