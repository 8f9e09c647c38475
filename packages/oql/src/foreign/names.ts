import { todaysName } from '../schema/old-names.ts';

/** Names of fields in other products, and in OQL: fields of all rows, of logs and of spans. */
const COMMON: Readonly<Record<string, string>> = {
  ...{ service: 'service.name', service_name: 'service.name', servicename: 'service.name', app: 'service.name' },
  ...{ timestamp: 'time', '@timestamp': 'time', _time: 'time', ts: 'time', timegenerated: 'time', eventtime: 'time' },
  ...{ traceid: 'trace_id', 'trace.id': 'trace_id', operation_id: 'trace_id', spanid: 'span_id', 'span.id': 'span_id' },
  ...{ env: 'environment' },
};
const OF: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  logs: {
    ...{
      level: 'severity',
      loglevel: 'severity',
      severitytext: 'severity',
      lvl: 'severity',
      severity_level: 'severity',
    },
    ...{ message: 'body', msg: 'body', _msg: 'body', _raw: 'body', line: 'body', log_message: 'body' },
  },
  spans: {
    ...{ operation: 'name', operation_name: 'name', operationname: 'name', span_name: 'name', spanname: 'name' },
    ...{ latency: 'duration', elapsed: 'duration', duration_ms: 'duration', duration_ns: 'duration' },
    ...{ span_kind: 'kind', spankind: 'kind', status_code: 'status', statuscode: 'status' },
    ...{ parentspanid: 'parent_span_id', parent_id: 'parent_span_id' },
  },
};

/** The OQL name of a signal's field that has another name in other products; undefined for other names. */
export function nameHere(name: string, signal: string): string | undefined {
  const lower = name.toLowerCase();
  const of = OF[signal];
  if (of && Object.hasOwn(of, lower)) return of[lower];
  return (signal === 'logs' || signal === 'spans') && Object.hasOwn(COMMON, lower) ? COMMON[lower] : undefined;
}

const HTTP_STATUS = /^(?:http[._]?)?(?:response[._]?)?status[._]?code$|^http[._]?status$/i;

/** The name that a field of a query probably means, which is compared with a number more often than with a status. */
export function meantHere(name: string, signal: string): string | undefined {
  const isStatus = HTTP_STATUS.test(name) || (signal === 'logs' && name === 'status');
  return isStatus && todaysName(name) === undefined ? 'http.response.status_code' : nameHere(name, signal);
}

/** The source that corresponds to a table of another system. */
export function sourceOf(table: string): 'logs' | 'spans' {
  return /span|trace|request|dependenc|apm/i.test(table) ? 'spans' : 'logs';
}

/** A regular expression that matches a text literally. */
export function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** Fields that every row has. For other fields, comparisons in other languages exclude rows without a value. */
const ALWAYS: ReadonlySet<string> = new Set([
  ...['time', 'service.name', 'body', 'severity', 'duration', 'name', 'kind', 'status'],
]);

/** A condition that holds only if there is a value, unlike OQL's `!=` and `not`. */
export function whereKnown(field: string, condition: string): string {
  return ALWAYS.has(field) ? condition : `(${field} exists and ${condition})`;
}

/** `LIKE '%x%'` in SQL, which is case-sensitive, unlike `contains` and `startswith`. */
export function exactLike(field: string, pattern: string): string {
  if (!/[%_]/.test(pattern)) return `${field} == ${JSON.stringify(pattern)}`;
  const inner = literally(pattern.replace(/^%+|%+$/g, ''))
    .replaceAll('%', '.*')
    .replaceAll('_', '.');
  return `${field} =~ ${JSON.stringify(`${pattern.startsWith('%') ? '' : '^'}${inner}${pattern.endsWith('%') ? '' : '$'}`)}`;
}

/** `LIKE '%x%'` as a condition on text that ignores case. */
export function likeCondition(field: string, pattern: string): string {
  const inner = pattern.replace(/^%|%$/g, '');
  const text = JSON.stringify(inner);
  const isPlain = !/[%_]/.test(inner);
  if (isPlain && pattern.startsWith('%') && pattern.endsWith('%') && pattern.length > 1)
    return `${field} contains ${text}`;
  if (isPlain && pattern.endsWith('%')) return `${field} startswith ${text}`;
  if (isPlain && pattern.startsWith('%')) return `ends_with(${field}, ${text})`;
  if (isPlain) return `${field} == ${text}`;
  const regex = literally(pattern).replaceAll('%', '.*').replaceAll('_', '.');
  return `${field} =~ ${JSON.stringify(`^${regex}$`)}`;
}
