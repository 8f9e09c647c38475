import type { ResultValue } from '@fanion/oql';

/** A log line with its labels, as a pipeline changes it. */
export interface Line {
  /** Unix nanoseconds. */
  readonly timeNs: bigint;
  text: string;
  /** Of the stream. */
  stream: Map<string, string>;
  /** Structured metadata. */
  metadata: Map<string, string>;
  /** What parsers and formats made. */
  parsed: Map<string, string>;
}

/** Resource attributes that Loki makes labels of streams it receives over OTLP. */
const indexed: ReadonlySet<string> = new Set([
  ...['service.name', 'service.namespace', 'service.instance.id', 'deployment.environment', 'container.name'],
  ...['deployment.environment.name', 'cloud.region', 'cloud.availability_zone', 'k8s.cluster.name'],
  ...['k8s.namespace.name', 'k8s.pod.name', 'k8s.container.name', 'k8s.deployment.name', 'k8s.statefulset.name'],
  ...['k8s.daemonset.name', 'k8s.replicaset.name', 'k8s.job.name', 'k8s.cronjob.name'],
]);

/** A key as Loki writes it. */
export function labelName(key: string): string {
  return key.replaceAll(/[^a-zA-Z0-9_]/g, '_').replace(/^(?=\d)/, 'key_');
}

/** Attributes of resources without dots are what Loki push brought as labels. */
export function isStreamKey(key: string): boolean {
  return indexed.has(key) || /^[a-zA-Z_][a-zA-Z0-9_]*$/.test(key);
}

/** The fields of the store that a line is read from, in this order. */
export const lineFields =
  'time, body, severity, severity_text, service.name, trace_id, span_id, scope.name, scope.version, attributes, resource';

/** Labels of fields that every record has, and what they read. */
export const fieldLabels: Readonly<Record<string, string>> = {
  service_name: 'service.name',
  severity_text: 'severity_text',
  trace_id: 'trace_id',
  span_id: 'span_id',
  scope_name: 'scope.name',
  scope_version: 'scope.version',
};

export const unknownService = 'unknown_service';
export const unknownLevel = 'unknown';

/** The levels that a severity can be. */
const levels: ReadonlySet<string> = new Set(['trace', 'debug', 'info', 'warn', 'error', 'fatal']);

export function textOf(value: ResultValue | undefined): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Nanoseconds of a time in RFC 3339 with up to nine digits. */
export function nanosecondsOf(time: string): bigint {
  const [, seconds = '', fraction = ''] = /^([^.Z]*)(?:\.(\d+))?Z?$/.exec(time) ?? [];
  return BigInt(Date.parse(`${seconds}Z`)) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}

const entriesOf = (value: ResultValue | undefined): [string, ResultValue][] =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];

/** @param row of {@link lineFields} */
export function lineOf(row: readonly ResultValue[]): Line {
  const [time, body, severity, severityText, service, traceId, spanId, scopeName, scopeVersion, attributes, resource] =
    row;
  const stream = new Map<string, string>();
  const metadata = new Map<string, string>();
  stream.set('service_name', textOf(service) || unknownService);
  for (const [key, value] of entriesOf(resource)) {
    const target = isStreamKey(key) ? stream : metadata;
    const name = labelName(key);
    if (!target.has(name) && textOf(value) !== '') target.set(name, textOf(value));
  }
  for (const [key, value] of entriesOf(attributes)) {
    const name = labelName(key);
    if (!stream.has(name) && !metadata.has(name) && textOf(value) !== '') metadata.set(name, textOf(value));
  }
  const own = {
    severity_text: severityText,
    trace_id: traceId,
    span_id: spanId,
    scope_name: scopeName,
    scope_version: scopeVersion,
  };
  for (const [name, value] of Object.entries(own)) if (textOf(value) !== '') metadata.set(name, textOf(value));
  const level = textOf(severity);
  metadata.set('detected_level', levels.has(level) ? level : unknownLevel);
  return { timeNs: nanosecondsOf(textOf(time)), text: textOf(body), stream, metadata, parsed: new Map() };
}

export function labelOf(line: Line, name: string): string | undefined {
  return line.parsed.get(name) ?? line.stream.get(name) ?? line.metadata.get(name);
}

/** All labels, in rising order. */
export function labelsOf({ stream, metadata, parsed }: Line): Map<string, string> {
  const all = new Map([...metadata, ...stream, ...parsed].filter(([, value]) => value !== ''));
  return new Map([...all].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
