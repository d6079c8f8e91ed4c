{{- /* Limits for strangers, by connection: behind Envoy all clients have one address. EDGE.md tells the whole. */ -}}
{{- define "aaren.edgeOverload" -}}
refresh_interval: 0.25s
resource_monitors:
  # Without a bound strangers fill Envoy's memory, and the kernel ends Envoy with everybody's streams.
  - name: envoy.resource_monitors.fixed_heap
    typed_config:
      "@type": type.googleapis.com/envoy.extensions.resource_monitors.fixed_heap.v3.FixedHeapConfig
      max_heap_size_bytes: {{ int64 .Values.envoy.heapBytes }}
  # Without a bound one stranger's connections take all file descriptors, and all connections of a server.
  - name: envoy.resource_monitors.global_downstream_max_connections
    typed_config:
      "@type": type.googleapis.com/envoy.extensions.resource_monitors.downstream_connections.v3.DownstreamConnectionsConfig
      max_active_downstream_connections: {{ int .Values.envoy.maxConnections }}
buffer_factory_config: {minimum_account_to_track_power_of_two: 20}  # streams of a megabyte and more are counted
actions:
  # First the actions without harm: Envoy gives free memory back, and waits less for silent connections.
  - name: envoy.overload_actions.shrink_heap
    triggers: [{name: envoy.resource_monitors.fixed_heap, threshold: {value: 0.8}}]
  - name: envoy.overload_actions.reduce_timeouts
    triggers: [{name: envoy.resource_monitors.fixed_heap, scaled: {scaling_threshold: 0.8, saturation_threshold: 0.95}}]
    typed_config:
      "@type": type.googleapis.com/envoy.config.overload.v3.ScaleTimersOverloadActionConfig
      timer_scale_factors:
        - {timer: HTTP_DOWNSTREAM_CONNECTION_IDLE, min_timeout: 2s}
        - {timer: TRANSPORT_SOCKET_CONNECT, min_timeout: 2s}
  # Then newcomers are refused: new connections before new calls, as old clients call on old connections.
  - name: envoy.overload_actions.reject_incoming_connections
    triggers: [{name: envoy.resource_monitors.fixed_heap, threshold: {value: 0.9}}]
  - name: envoy.overload_actions.stop_accepting_requests
    triggers: [{name: envoy.resource_monitors.fixed_heap, threshold: {value: 0.95}}]
  # Last, Envoy resets the streams with most memory, and keeps the rest.
  - name: envoy.overload_actions.reset_high_memory_stream
    triggers: [{name: envoy.resource_monitors.fixed_heap, scaled: {scaling_threshold: 0.95, saturation_threshold: 1}}]
{{- end -}}

{{- define "aaren.edgeRuntime" -}}
- name: edge
  static_layer:
    # Rapid resets: after 200 streams a connection ends if half of the streams were reset within their first second.
    overload.premature_reset_total_stream_count: 200
    overload.premature_reset_min_stream_lifetime_seconds: 1
    # New calls that a thread takes of a connection before the next connection's turn: 50 connections that flood at once
    # make others wait half as long as with 4.
    http.max_requests_per_io_cycle: 1
    re2.max_program_size.error_level: 200  # one expression has the names of all methods
{{- end -}}

{{- /* Streams last for days and may be silent, so no time-out ends a stream: pings find clients that are gone. */ -}}
{{- define "aaren.edgeManager" -}}
stat_prefix: streams
codec_type: HTTP2
use_remote_address: true    # else a stranger's x-forwarded-for may make Envoy obey the stranger's x-envoy-* headers
skip_xff_append: true       # no server reads x-forwarded-for
generate_request_id: false  # no server reads x-request-id
max_request_headers_kb: 6   # beyond 8 KiB, 32 bytes for each field included, a server ends the whole connection
request_headers_timeout: 10s  # headers that never end hold memory
stream_idle_timeout: 120s   # unary calls without a byte in either direction; streams have 0 s in their route
common_http_protocol_options:
  max_headers_count: 32     # 32 bytes each at a server, five fields of Envoy's included: see max_request_headers_kb
  idle_timeout: 60s         # connections without calls keep places from others
http2_protocol_options:
  max_concurrent_streams: 256             # a server takes as many of a connection
  initial_stream_window_size: 262144      # bytes that Envoy holds for a stream;
  initial_connection_window_size: 1048576 # for a connection. Defaults: 16 and 24 MiB
  connection_keepalive: {interval: 30s, timeout: 10s}  # a client that is gone keeps no stream
route_config:
  name: servers
  virtual_hosts:
    - name: servers
      domains: ["*"]
      # Only methods that exist have a route: Envoy answers every other call with UNIMPLEMENTED by itself.
      routes:
        # The two methods whose calls last. A server that leaves refuses streams before Envoy has asked for the server's
        # health; with a shared store Envoy asks another server.
        - match: {grpc: {}, safe_regex: {regex: '/(aaren\.v1\.Streaming/Stream|grpc\.health\.v1\.Health/Watch)'}}
          route:
            cluster: servers
            timeout: 0s
            idle_timeout: 0s
            hash_policy: [{header: {header_name: aaren-stream}}]
            {{- if include "aaren.ownStores" . }}
            retry_policy: {retry_on: "connect-failure,refused-stream", num_retries: 3}
            {{- else }}
            retry_policy:
              retry_on: connect-failure,refused-stream,unavailable
              num_retries: 3
              retry_host_predicate:
                - name: envoy.retry_host_predicates.previous_hosts
                  typed_config:
                    "@type": type.googleapis.com/envoy.extensions.retry.host.previous_hosts.v3.PreviousHostsPredicate
              host_selection_retry_max_attempts: 5
            {{- end }}
        - match:
            grpc: {}
            safe_regex:
              regex: '/(aaren\.v1\.(Models/(Get|List)|Sessions/(Delete|Evict|Export|Fork|Get|Import|List))|grpc\.(health\.v1\.Health/Check|reflection\.v1(alpha)?\.ServerReflection/ServerReflectionInfo))'
          route:
            cluster: servers
            timeout: 0s
            hash_policy: [{header: {header_name: aaren-stream}}]
            retry_policy: {retry_on: "connect-failure,refused-stream", num_retries: 3}
http_filters:
  # Calls of a connection: 1,000 at once and in each second. A stream is one call, however long the stream lasts.
  - name: envoy.filters.http.local_ratelimit
    typed_config:
      "@type": type.googleapis.com/envoy.extensions.filters.http.local_ratelimit.v3.LocalRateLimit
      stat_prefix: calls
      local_rate_limit_per_downstream_connection: true
      rate_limited_as_resource_exhausted: true
      token_bucket: {max_tokens: 1000, tokens_per_fill: 100, fill_interval: 0.1s}
      filter_enabled: {default_value: {numerator: 100}}
      filter_enforced: {default_value: {numerator: 100}}
  # gRPC 1.51 ends a connection for a header ...-bin that is no base64 (CVE-2023-32732). Envoy refuses the call alone.
  - name: envoy.filters.http.lua
    typed_config:
      "@type": type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua
      default_source_code:
        inline_string: |
          local function is_base64(value)
            local digits, padding = value:match("^([A-Za-z0-9+/]*)(=?=?)$")
            if not digits then return false end
            local rest = #digits % 4
            if padding ~= "" and #padding ~= 4 - rest then return false end
            return rest == 0 or rest == 2 and digits:find("[AQgw]$") or rest == 3 and digits:find("[048AEIMQUYcgkosw]$")
          end
          function envoy_on_request(request)
            for name, value in pairs(request:headers()) do
              if name:sub(-4) == "-bin" and not is_base64(value) then
                request:respond({[":status"] = "200", ["content-type"] = "application/grpc", ["grpc-status"] = "3",
                                 ["grpc-message"] = "a header whose name ends in -bin is no base64"})
              end
            end
          end
  # No gRPC client sends trailers, and for a bad trailer a server ends the connection as for a bad header.
  - name: envoy.filters.http.header_mutation
    typed_config:
      "@type": type.googleapis.com/envoy.extensions.filters.http.header_mutation.v3.HeaderMutation
      mutations: {request_trailers_mutations: [{remove_on_match: {key_matcher: {safe_regex: {regex: ".*"}}}}]}
  - name: envoy.filters.http.router
    typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router}
{{- end -}}
