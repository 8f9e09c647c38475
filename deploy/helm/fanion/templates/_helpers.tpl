{{/* Follows the rules for service names. The name of a StatefulSet has at most 52 characters: a label of its pods consists of that name and a hash. */}}
{{- define "fanion.name" -}}
{{- if not (regexMatch "^[a-z][-a-z0-9]*$" .Release.Name) -}}
{{- fail (printf "services are named after the release, and %q is not a name of a service: begin with a letter, and use only a to z, 0 to 9 and -" .Release.Name) -}}
{{- end -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 45 | trimSuffix "-" -}}
{{- end -}}

{{/* A quoted string. Helm reads numbers as floats, and prints 1000000 as 1e+06. */}}
{{- define "fanion.text" -}}
{{- if kindIs "float64" . }}{{ toJson . | quote }}{{ else }}{{ toString . | quote }}{{ end -}}
{{- end -}}

{{/* Takes root and role. */}}
{{- define "fanion.labels" -}}
{{ include "fanion.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service | quote }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{- define "fanion.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .role }}
{{- end -}}

{{/* The template of a pod. Takes root, role and settings. */}}
{{- define "fanion.pod" -}}
{{- $values := .root.Values -}}
{{- $scheme := ternary "HTTPS" "HTTP" (ne $values.tlsSecret "") -}}
metadata:
  labels: {{- include "fanion.labels" . | nindent 4 }}
  {{- with $values.podAnnotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  automountServiceAccountToken: false
  terminationGracePeriodSeconds: {{ add $values.drainSeconds 30 (ternary $values.ingestDrainSeconds 0 (eq .role "ingest")) }}
  {{- with $values.imagePullSecrets }}
  imagePullSecrets: {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 1000
    runAsGroup: 1000
    fsGroup: 1000
    seccompProfile: { type: RuntimeDefault }
  containers:
    - name: fanion
      image: "{{ $values.image.repository }}:{{ $values.image.tag | default .root.Chart.AppVersion }}"
      imagePullPolicy: {{ $values.image.pullPolicy }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      env:
        - { name: FANION_ROLE, value: {{ .role }} }
        - { name: FANION_DRAIN_SECONDS, value: {{ include "fanion.text" $values.drainSeconds }} }
        {{- if not (hasKey $values.env "FANION_MEMORY") }}
        - { name: LIMIT_IN_MIB, valueFrom: { resourceFieldRef: { resource: limits.memory, divisor: 1Mi } } }
        - { name: FANION_MEMORY, value: $(LIMIT_IN_MIB)MiB }
        {{- end }}
        {{- range list "DATABASE_URL" "CLICKHOUSE_URL" "FANION_SECRET_KEY" }}
        - { name: {{ . }}_FILE, value: /secrets/{{ . }} }
        {{- end }}
        {{- if and $values.serviceMonitor.enabled (not (hasKey $values.env "FANION_METRICS_TOKEN_FILE")) }}
        - { name: FANION_METRICS_TOKEN_FILE, value: /secrets/FANION_METRICS_TOKEN }
        {{- end }}
        {{- with $values.clickhouseCluster }}
        - { name: CLICKHOUSE_CLUSTER, value: {{ . | quote }} }
        {{- end }}
        {{- with $values.baseUrl }}
        - { name: FANION_BASE_URL, value: {{ . | quote }} }
        {{- end }}
        {{- if $values.tlsSecret }}
        - { name: FANION_TLS_CERT, value: /tls/tls.crt }
        - { name: FANION_TLS_KEY, value: /tls/tls.key }
        {{- end }}
        {{- range $name, $value := $values.env }}
        - { name: {{ $name }}, value: {{ include "fanion.text" $value }} }
        {{- end }}
      ports:
        - { name: http, containerPort: 8080 }
        {{- if eq .role "ingest" }}
        - { name: otlp-grpc, containerPort: 4317 }
        - { name: otlp-http, containerPort: 4318 }
        {{- end }}
        {{- if eq .role "flags" }}
        - { name: flagd, containerPort: 8013 }
        - { name: flagd-sync, containerPort: 8015 }
        {{- end }}
      startupProbe:
        httpGet: { path: /healthz, port: http, scheme: {{ $scheme }} }
        periodSeconds: 2
        failureThreshold: 60
      readinessProbe:
        httpGet: { path: /readyz, port: http, scheme: {{ $scheme }} }
        periodSeconds: 2
        failureThreshold: 1
      livenessProbe:
        httpGet: { path: /healthz, port: http, scheme: {{ $scheme }} }
        periodSeconds: 10
        timeoutSeconds: 5
      {{- if and (eq .role "ingest") (not $values.tlsSecret) }}
      lifecycle:
        preStop:
          exec:
            command: [node, node_modules/@fanion/cli/dist/main.js, drain, --timeout, {{ include "fanion.text" $values.ingestDrainSeconds }}]
      {{- end }}
      resources:
        requests: { cpu: {{ include "fanion.text" .settings.cpu }}, memory: {{ include "fanion.text" .settings.memory }} }
        limits: { memory: {{ include "fanion.text" .settings.memory }} }
      volumeMounts:
        - { name: data, mountPath: /data }
        - { name: tmp, mountPath: /tmp }
        - { name: secrets, mountPath: /secrets, readOnly: true }
        {{- if $values.tlsSecret }}
        - { name: tls, mountPath: /tls, readOnly: true }
        {{- end }}
  volumes:
    - { name: tmp, emptyDir: {} }
    {{- if ne .role "ingest" }}
    - { name: data, emptyDir: {} }
    {{- end }}
    - name: secrets
      secret: { secretName: {{ required "existingSecret names the Secret with DATABASE_URL, CLICKHOUSE_URL and FANION_SECRET_KEY" $values.existingSecret | quote }}, defaultMode: 0440 }
    {{- with $values.tlsSecret }}
    - name: tls
      secret: { secretName: {{ . | quote }}, defaultMode: 0440 }
    {{- end }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels: {{- include "fanion.selector" . | nindent 10 }}
  {{- with $values.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.tolerations }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.affinity }}
  affinity: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
