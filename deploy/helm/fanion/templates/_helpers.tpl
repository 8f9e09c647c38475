{{- define "fanion.name" -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{/* Takes root and role. */}}
{{- define "fanion.labels" -}}
{{ include "fanion.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{- define "fanion.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
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
        - { name: FANION_DRAIN_SECONDS, value: {{ $values.drainSeconds | quote }} }
        {{- range list "DATABASE_URL" "CLICKHOUSE_URL" "FANION_SECRET_KEY" }}
        - { name: {{ . }}_FILE, value: /secrets/{{ . }} }
        {{- end }}
        {{- if $values.serviceMonitor.enabled }}
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
        - { name: {{ $name }}, value: {{ $value | quote }} }
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
            command: [node, node_modules/@fanion/cli/dist/main.js, drain, --timeout, {{ $values.ingestDrainSeconds | quote }}]
      {{- end }}
      resources:
        requests: { cpu: {{ .settings.cpu | quote }}, memory: {{ .settings.memory }} }
        limits: { memory: {{ .settings.memory }} }
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
      secret: { secretName: {{ required "existingSecret names the Secret with DATABASE_URL, CLICKHOUSE_URL and FANION_SECRET_KEY" $values.existingSecret }}, defaultMode: 0440 }
    {{- with $values.tlsSecret }}
    - name: tls
      secret: { secretName: {{ . }}, defaultMode: 0440 }
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
