{{- /*
Envoy's certificate and authorities, each in a file beside envoy.yaml, as a secret of Envoy's protocol SDS. Envoy watches
the folder of a secret by SDS alone: Kubernetes renews all files of a folder by one rename, and Envoy then reads the
files again. A certificate in envoy.yaml itself would stay until Envoy starts anew.
*/ -}}
{{- define "aaren.envoySecrets" -}}
{{- if .Values.envoy.tls.secretName }}
certificate.yaml: |
  {{- include "aaren.envoySecret" "certificate" | nindent 2 }}
      tls_certificate:
        certificate_chain: {filename: /etc/envoy/tls/tls.crt}
        private_key: {filename: /etc/envoy/tls/tls.key}
        watched_directory: {path: /etc/envoy/tls}
{{- end }}
{{- if .Values.envoy.tls.clientCa }}
{{- include "aaren.envoyAuthority" (list "client_ca" "/etc/envoy/tls") | nindent 0 }}
{{- end }}
{{- if .Values.tls.secretName }}
{{- include "aaren.envoyAuthority" (list "server_ca" "/etc/envoy/upstream") | nindent 0 }}
{{- end }}
{{- end -}}

{{- define "aaren.envoySecret" -}}
resources:
  - "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret
    name: {{ . }}
{{- end -}}

{{- define "aaren.envoyAuthority" -}}
{{- $name := index . 0 -}}{{- $folder := index . 1 -}}
{{ $name }}.yaml: |
  {{- include "aaren.envoySecret" $name | nindent 2 }}
      validation_context:
        trusted_ca: {filename: {{ $folder }}/ca.crt}
        watched_directory: {path: {{ $folder }}}
{{- end -}}

{{- /* Where envoy.yaml names one. */ -}}
{{- define "aaren.envoySds" -}}
{name: {{ . }}, sds_config: {path_config_source: {path: /etc/envoy/config/{{ . }}.yaml}}}
{{- end -}}
