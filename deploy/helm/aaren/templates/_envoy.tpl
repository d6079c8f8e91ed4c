{{- /* Envoy's own configuration. Hashing takes names, as the address of a pod changes when it comes back. */ -}}
{{- define "aaren.envoyConfig" -}}
admin:
  address: {socket_address: {address: 127.0.0.1, port_value: 9901}}
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

{{- /* Streams last for days, so no time-out may end them. */ -}}
{{- define "aaren.envoyStreams" -}}
- name: streams
  address: {socket_address: {address: {{ trimAll "[]" .Values.bindAddress | quote }}, port_value: 7860}}
  filter_chains:
    - filters:
        - name: envoy.filters.network.http_connection_manager
          typed_config:
            "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
            stat_prefix: streams
            codec_type: HTTP2
            stream_idle_timeout: 0s
            http2_protocol_options: {connection_keepalive: {interval: 30s, timeout: 10s}}
            route_config:
              name: servers
              virtual_hosts:
                - name: servers
                  domains: ["*"]
                  routes:
                    {{- if not (include "aaren.ownStores" .) }}
                    # A server that leaves refuses streams before its health has been asked. Another one has their sessions too.
                    - match: {prefix: /aaren.v1.Streaming/}
                      route:
                        cluster: servers
                        timeout: 0s
                        hash_policy: [{header: {header_name: aaren-stream}}]
                        retry_policy:
                          retry_on: connect-failure,refused-stream,unavailable
                          num_retries: 3
                          retry_host_predicate:
                            - name: envoy.retry_host_predicates.previous_hosts
                              typed_config:
                                "@type": type.googleapis.com/envoy.extensions.retry.host.previous_hosts.v3.PreviousHostsPredicate
                          host_selection_retry_max_attempts: 5
                    {{- end }}
                    - match: {prefix: /}
                      route:
                        cluster: servers
                        timeout: 0s
                        hash_policy: [{header: {header_name: aaren-stream}}]
                        retry_policy: {retry_on: "connect-failure,refused-stream", num_retries: 3}
            http_filters:
              - name: envoy.filters.http.router
                typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router}
      {{- if .Values.envoy.tls.secretName }}
      transport_socket:
        name: envoy.transport_sockets.tls
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext
          common_tls_context:
            alpn_protocols: [h2]
            tls_certificates:
              - certificate_chain: {filename: /etc/envoy/tls/tls.crt}
                private_key: {filename: /etc/envoy/tls/tls.key}
                watched_directory: {path: /etc/envoy/tls}
      {{- end }}
{{- end -}}

{{- /* What Kubernetes and Prometheus ask for, and nothing else of the admin interface. */ -}}
{{- define "aaren.envoyStats" -}}
- name: stats
  address: {socket_address: {address: {{ trimAll "[]" .Values.bindAddress | quote }}, port_value: 9902}}
  filter_chains:
    - filters:
        - name: envoy.filters.network.http_connection_manager
          typed_config:
            "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
            stat_prefix: stats
            route_config:
              name: stats
              virtual_hosts:
                - name: stats
                  domains: ["*"]
                  routes:
                    - match: {path: /ready, headers: [{name: ":method", string_match: {exact: GET}}]}
                      route: {cluster: admin}
                    - match: {path: /stats/prometheus, headers: [{name: ":method", string_match: {exact: GET}}]}
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
  dns_refresh_rate: 2s
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
  typed_extension_protocol_options:
    envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
      "@type": type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions
      explicit_http_config:
        http2_protocol_options: {connection_keepalive: {interval: 30s, timeout: 10s}}
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
        validation_context:
          trusted_ca: {filename: /etc/envoy/upstream/ca.crt}
          watched_directory: {path: /etc/envoy/upstream}
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
