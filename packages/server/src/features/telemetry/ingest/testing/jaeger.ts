import { int, type KeyValue, text } from '../../../../../../telemetry/src/testing/otlp.ts';

/**
 * Facts of the storage tests of Jaeger: which service sends which tags in which place, how long its spans take, and which
 * traces a query must find. Source: github.com/jaegertracing/jaeger at 8498073ff809,
 * `internal/storage/integration/fixtures` (`queries.json` and `traces/`), Apache-2.0.
 */

/** Where a tag of a query may be. */
type Place = 'span' | 'event' | 'resource' | 'scope' | 'link';
type Tags = readonly (1 | 2 | 3 | 4)[];

export interface JaegerTrace {
  readonly name: string;
  readonly service: string;
  readonly operation: string;
  /** Nanoseconds, one span each. */
  readonly durations: readonly number[];
  /** Offset of each span from the usual start, in seconds. */
  readonly begins?: readonly number[];
  /** Which of the four tags are in which place; for several events a list of lists. */
  readonly tags: Readonly<Partial<Record<Place, Tags>>>;
  readonly secondEvent?: Tags;
  readonly tagPrefix?: string;
}

export interface JaegerQuery {
  readonly caption: string;
  readonly service: string;
  readonly operation?: string;
  readonly tagPrefix?: string;
  readonly duration?: readonly [min: number, max: number];
  readonly finds: readonly string[];
}

const ALL: Tags = [1, 2, 3, 4];
const trace = (
  number: number,
  name: string,
  durations: readonly number[],
  tags: JaegerTrace['tags'] = {},
  more: Partial<JaegerTrace> = {},
): JaegerTrace => ({
  name,
  service: `query${String(number).padStart(2, '0')}-service`,
  operation: 'placeholder',
  durations,
  tags,
  ...more,
});
const named = (number: number): Partial<JaegerTrace> => ({
  operation: `query${String(number).padStart(2, '0')}-operation`,
});

export const JAEGER_TRACES: readonly JaegerTrace[] = [
  trace(1, 'span_tags_trace', [7000], { span: ALL }, { operation: 'some-operation' }),
  trace(2, 'log_tags_trace', [5000], { event: ALL }),
  trace(3, 'process_tags_trace', [5000], { resource: ALL }),
  trace(4, 'multi_spot_tags_trace', [5000], { resource: [1], span: [3, 4], event: [2] }),
  trace(5, 'multi_index_trace', [5000, 5000], {}, { operation: 'operation-list-test2', begins: [0, -420] }),
  trace(6, 'opname_trace', [5000], {}, named(6)),
  trace(7, 'opname_maxdur_trace', [1000, 2000], {}, named(7)),
  trace(8, 'opname_dur_trace', [5000], {}, named(8)),
  trace(9, 'dur_trace', [5000]),
  trace(10, 'max_dur_trace', [1000]),
  trace(11, 'default', [100_000], {}, named(11)),
  trace(12, 'tags_opname_trace', [2000], { span: ALL, link: [] }, named(12)),
  trace(13, 'tags_opname_maxdur_trace', [1000], { resource: ALL }, named(13)),
  trace(14, 'tags_opname_dur_trace', [5000], { event: ALL }, named(14)),
  trace(15, 'tags_dur_trace', [5000], { span: ALL }),
  trace(16, 'tags_maxdur_trace', [1000], { resource: ALL }, named(16)),
  trace(
    17,
    'multispottag_opname_trace',
    [5000],
    { resource: [1], span: [3], event: [2] },
    { ...named(17), secondEvent: [4] },
  ),
  trace(
    18,
    'multispottag_opname_maxdur_trace',
    [1000],
    { resource: [3], span: [1], event: [2] },
    { ...named(18), secondEvent: [4] },
  ),
  trace(19, 'multispottag_opname_dur_trace', [5000], { resource: [3, 4], span: [1], event: [2] }, named(19)),
  trace(20, 'multispottag_dur_trace', [5000], { resource: [3], span: [2, 4], event: [1] }),
  trace(21, 'multispottag_maxdur_trace', [1000], { resource: [3, 4], span: [1], event: [2] }),
  ...[1, 2, 3].map((n) => trace(22, `multiple${n}_trace`, [100_000], {}, named(22))),
  trace(23, 'scope_name_version_trace', [1000], { span: ALL }),
  trace(24, 'scope_attributes_trace', [1000], { scope: ALL }, { tagPrefix: 'sameplacescopeattribute' }),
  trace(25, 'link_attributes_trace', [2000], { link: ALL }, { ...named(25), tagPrefix: 'sameplacelinkattribute' }),
];

const TAG = 'sameplacetag';
const query = (
  caption: string,
  number: number,
  finds: string | readonly string[],
  more: Partial<JaegerQuery> = {},
): JaegerQuery => ({
  caption,
  service: `query${String(number).padStart(2, '0')}-service`,
  finds: typeof finds === 'string' ? [finds] : finds,
  ...more,
});
const operation = (number: number) => ({ operation: `query${String(number).padStart(2, '0')}-operation` });
const tagged = { tagPrefix: TAG };

export const JAEGER_QUERIES: readonly JaegerQuery[] = [
  query('Tags in one spot - Tags', 1, 'span_tags_trace', tagged),
  query('Tags in one spot - Logs', 2, 'log_tags_trace', tagged),
  query('Tags in one spot - Process', 3, 'process_tags_trace', tagged),
  query('Tags in different spots', 4, 'multi_spot_tags_trace', tagged),
  query('Trace spans over multiple indices', 5, 'multi_index_trace'),
  query('Operation name', 6, 'opname_trace', operation(6)),
  query('Operation name + max Duration', 7, 'opname_maxdur_trace', { ...operation(7), duration: [0, 2000] }),
  query('Operation name + Duration range', 8, 'opname_dur_trace', { ...operation(8), duration: [4500, 5500] }),
  query('Duration range', 9, 'dur_trace', { duration: [4500, 5500] }),
  query('max Duration', 10, 'max_dur_trace', { duration: [0, 1000] }),
  query('default', 11, 'default'),
  query('Tags + Operation name', 12, 'tags_opname_trace', { ...tagged, ...operation(12) }),
  query('Tags + Operation name + max Duration', 13, 'tags_opname_maxdur_trace', {
    ...tagged,
    ...operation(13),
    duration: [0, 2000],
  }),
  query('Tags + Operation name + Duration range', 14, 'tags_opname_dur_trace', {
    ...tagged,
    ...operation(14),
    duration: [4500, 5500],
  }),
  query('Tags + Duration range', 15, 'tags_dur_trace', { ...tagged, duration: [4500, 5500] }),
  query('Tags + max Duration', 16, 'tags_maxdur_trace', { ...tagged, duration: [0, 1000] }),
  query('Multi-spot Tags + Operation name', 17, 'multispottag_opname_trace', { ...tagged, ...operation(17) }),
  query('Multi-spot Tags + Operation name + max Duration', 18, 'multispottag_opname_maxdur_trace', {
    ...tagged,
    ...operation(18),
    duration: [0, 2000],
  }),
  query('Multi-spot Tags + Operation name + Duration range', 19, 'multispottag_opname_dur_trace', {
    ...tagged,
    ...operation(19),
    duration: [4500, 5500],
  }),
  query('Multi-spot Tags + Duration range', 20, 'multispottag_dur_trace', { ...tagged, duration: [4500, 5500] }),
  query('Multi-spot Tags + max Duration', 21, 'multispottag_maxdur_trace', { ...tagged, duration: [0, 1000] }),
  query('Multiple Traces', 22, ['multiple1_trace', 'multiple2_trace', 'multiple3_trace']),
  query('Scope Name and Version', 23, 'scope_name_version_trace', tagged),
  query('Scope Attributes', 24, 'scope_attributes_trace', { tagPrefix: 'sameplacescopeattribute' }),
  query('Link Attributes', 25, 'link_attributes_trace', { tagPrefix: 'sameplacelinkattribute' }),
];

/** The values of the four tags: a text, a whole number, a float, and true. */
const VALUES = ['"sameplacevalue"', '123', '72.5', 'true'] as const;

function attributesOf(prefix: string, tags: Tags | undefined): KeyValue[] {
  return (tags ?? []).map((tag) => {
    const key = `${prefix}${tag}`;
    if (tag === 1) return text(key, 'sameplacevalue');
    if (tag === 2) return int(key, 123);
    return { key, value: tag === 3 ? { doubleValue: 72.5 } : { boolValue: true } };
  });
}

export const jaegerTraceId = (at: number) => `00000000000000aa${String(at + 1).padStart(16, '0')}`;

/** A trace as OTLP/JSON that starts at `begin`, in nanoseconds. */
export function otlpOf(of: JaegerTrace, at: number, begin: bigint): object {
  const { tags, tagPrefix = TAG, service } = of;
  const spans = of.durations.map((duration, i) => {
    const start = begin + BigInt(of.begins?.[i] ?? 0) * 1_000_000_000n;
    return {
      traceId: jaegerTraceId(at),
      spanId: `${String(at + 1).padStart(8, '0')}${String(i + 1).padStart(8, '0')}`,
      name: of.operation,
      startTimeUnixNano: String(start),
      endTimeUnixNano: String(start + BigInt(duration)),
      attributes: attributesOf(tagPrefix, tags.span),
      events: [tags.event, of.secondEvent].map((event) => ({
        timeUnixNano: String(start),
        attributes: attributesOf(tagPrefix, event),
      })),
      links: tags.link
        ? [{ traceId: 'ff'.repeat(16), spanId: 'ff'.repeat(8), attributes: attributesOf(tagPrefix, tags.link) }]
        : [],
    };
  });
  return {
    resource: { attributes: [text('service.name', service), ...attributesOf(tagPrefix, tags.resource)] },
    scopeSpans: [
      { scope: { name: 'testing-library', version: '1.1.1', attributes: attributesOf(tagPrefix, tags.scope) }, spans },
    ],
  };
}

/** The same query in OQL: in Jaeger a tag may be in any place of a span. */
export function oqlOf({ service, operation: name, duration, tagPrefix }: JaegerQuery): string {
  const conditions = [
    `service.name == "${service}"`,
    ...(name ? [`name == "${name}"`] : []),
    ...(duration ? [`duration >= ${duration[0]}ns`, `duration <= ${duration[1]}ns`] : []),
    ...(tagPrefix ? VALUES.map((value, i) => anywhere(`${tagPrefix}${i + 1}`, value)) : []),
  ];
  return `spans | where ${conditions.join(' and ')} | stats n=count() by trace_id | fields trace_id`;
}

function anywhere(tag: string, value: string): string {
  const within = (source: string) => `span_id in (${source} | where attr.${tag} == ${value} | fields span_id)`;
  return `(${tag} == ${value} or scope.${tag} == ${value} or ${within('events')} or ${within('links')})`;
}
