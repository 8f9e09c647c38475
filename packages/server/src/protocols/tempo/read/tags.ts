import type { ResultValue, Tree } from '@fanion/oql';
import type { Parameters, Place } from '../../read/request.ts';
import { ask, type QueryParts } from './ask.ts';
import { columnOf } from './column-rules.ts';
import { conditionOf } from './condition-rules.ts';
import {
  all,
  bool,
  call,
  compare,
  exists,
  field,
  inList,
  keep,
  limit,
  negative,
  pipeline,
  sort,
  stats,
  where,
} from './oql-tree.ts';
import { countOf, invalid, windowOf } from './parameter-rules.ts';
import { inTraceOf } from './plan-rules.ts';
import { TraceqlError } from './traceql/error.ts';
import { intrinsicOf } from './traceql/fields.ts';
import { parseTraceql } from './traceql/parse.ts';
import type { AttributeScope, Expression, Field } from './traceql/tree.ts';

/** Most names or values of a list. */
const maxListed = 5_000;

const intrinsicTags = [
  ...['duration', 'event:name', 'event:timeSinceStart', 'instrumentation:name', 'instrumentation:version', 'kind'],
  ...['name', 'rootName', 'rootServiceName', 'span:duration', 'span:kind', 'span:name', 'span:status'],
  ...['span:statusMessage', 'status', 'statusMessage', 'trace:duration', 'trace:rootName', 'trace:rootService'],
  'traceDuration',
];

interface TagScope {
  readonly name: string;
  readonly tags: readonly string[];
}

const scopeNames = ['resource', 'span', 'event', 'link', 'instrumentation', 'intrinsic'];

/** The names of attributes in a window, by their scope. */
export async function tagScopes(parts: QueryParts, place: Place, parameters: Parameters, nowMs: number) {
  const wanted = parameters.one('scope');
  if (wanted !== undefined && wanted !== 'none' && !scopeNames.includes(wanted))
    throw invalid('scope', `it is one of ${scopeNames.join(', ')}`);
  const scopes: TagScope[] = [];
  if (wanted !== 'intrinsic') scopes.push(...(await attributeScopes(parts, place, parameters, nowMs)));
  scopes.push({ name: 'intrinsic', tags: intrinsicTags });
  const most = countOf(parameters, 'limit', 0, maxListed) || maxListed;
  return scopes
    .filter(({ name, tags }) => tags.length > 0 && (wanted === undefined || wanted === 'none' || name === wanted))
    .map(({ name, tags }) => ({ name, tags: tags.slice(0, most) }));
}

async function attributeScopes(parts: QueryParts, place: Place, parameters: Parameters, nowMs: number) {
  const at = { start: 0, end: 0 };
  const isOfSpans = all(inList(field('signal'), ['spans']), inList(field('scope'), ['attribute', 'resource']));
  const rows = await ask(parts, place, {
    pipeline: {
      source: { kind: 'fields', ...at },
      stages: [where(isOfSpans), keep('scope', 'name')],
      ...at,
    },
    window: windowOf(parameters, nowMs),
    limit: maxListed,
  });
  const namesOf = (scope: string) =>
    [...new Set(rows.flatMap(([of, name]) => (of === scope ? [String(name)] : [])))].sort();
  return [
    { name: 'resource', tags: namesOf('resource') },
    { name: 'span', tags: namesOf('attribute') },
  ];
}

/** A value with the type that TraceQL writes it by. */
export interface TagValue {
  readonly type: string;
  readonly value: string;
}

const members: Readonly<Record<string, readonly string[]>> = {
  status: ['error', 'ok', 'unset'],
  kind: ['client', 'consumer', 'internal', 'producer', 'server', 'unspecified'],
};

/** The values of an attribute or field, the most frequent first. */
export async function tagValues(
  parts: QueryParts,
  place: Place,
  tag: string,
  parameters: Parameters,
  nowMs: number,
): Promise<TagValue[]> {
  const listed = fieldOfTag(tag);
  const most = countOf(parameters, 'limit', 0, maxListed) || maxListed;
  if (listed.kind === 'intrinsic' && members[listed.name] !== undefined)
    return (members[listed.name] ?? []).map((value) => ({ type: 'keyword', value }));
  const asked = pipelineOf(listed, narrowedBy(parameters.one('q')), most);
  if (asked === undefined) return [];
  const rows = await ask(parts, place, { pipeline: asked, window: windowOf(parameters, nowMs), limit: most });
  return rows.flatMap(([value]) => typed(value ?? null));
}

/** The rows have the value first. Undefined for what has no list of values, such as durations. */
function pipelineOf(of: Field, condition: Tree.Expression, most: number): Tree.Pipeline | undefined {
  const inTrace = condition.kind === 'bool' ? condition : inTraceOf(condition);
  const counted = (signal: Tree.Signal, value: Tree.Expression, kept: Tree.Expression) =>
    pipeline(
      signal,
      where(kept),
      stats([['number', call('count')]], [['value', value]]),
      sort(negative(field('number')), field('value')),
      limit(most),
      keep('value'),
    );
  if (of.kind === 'attribute') {
    if (of.scope === 'event' || of.scope === 'link')
      return counted(`${of.scope}s`, elementAttribute(of.name), all(exists(elementAttribute(of.name)), inTrace));
    const value = columnOf(of);
    const isThere = of.scope === 'any' ? conditionOf(existing(of)) : exists(value);
    return counted('spans', value, all(isThere, condition));
  }
  switch (of.name) {
    case 'name':
    case 'statusMessage':
    case 'instrumentation:name':
    case 'instrumentation:version': {
      const value = columnOf(of);
      return counted('spans', value, all(compare(call('is_empty', value), '==', bool(false)), condition));
    }
    case 'rootName':
      return counted('traces', field('name'), inTrace);
    case 'rootServiceName':
      return counted('traces', field('service.name'), inTrace);
    case 'event:name':
      return counted('events', field('name'), inTrace);
    default:
      return undefined;
  }
}

const elementAttribute = (name: string): Tree.Path => ({
  ...{ kind: 'path', segments: ['attr'], index: [name] },
  ...{ start: 0, end: 0 },
});

const existing = (of: Field): Expression => ({
  kind: 'binary',
  operator: '!=',
  left: { kind: 'field', field: of },
  right: { kind: 'static', static: { type: 'nil' } },
});

/** As Tempo does, a query that is not a single set of spans, or not complete yet, narrows nothing. */
function narrowedBy(q: string | undefined): Tree.Expression {
  if (q === undefined) return bool(true);
  try {
    const { stages: searched, metrics } = parseTraceql(q);
    const stages = metrics?.kind === 'query' ? metrics.stages : searched;
    const [first] = stages;
    return stages.length === 1 && first?.kind === 'spanset' && first.spanset.kind === 'filter'
      ? conditionOf(first.spanset.condition)
      : bool(true);
  } catch (error) {
    if (error instanceof TraceqlError) return bool(true);
    throw error;
  }
}

function typed(value: ResultValue): TagValue[] {
  switch (typeof value) {
    case 'string':
      return [{ type: 'string', value }];
    case 'boolean':
      return [{ type: 'bool', value: String(value) }];
    case 'number':
      return [{ type: Number.isInteger(value) ? 'int' : 'float', value: String(value) }];
    default:
      // A list or map is not compared with a value.
      return [];
  }
}

const scopePrefixes: readonly AttributeScope[] = ['span', 'resource', 'event', 'link', 'instrumentation'];

/** The field of a tag: `resource.service.name`, `.http.route`, `http.route`, `name`, `span:name`. Paths encode it twice. */
export function fieldOfTag(written: string): Field {
  const tag = decoded(written);
  if (intrinsicTags.includes(tag)) return intrinsicOf(tag);
  const scope = scopePrefixes.find((one) => tag.startsWith(`${one}.`));
  const name = scope === undefined ? tag.replace(/^\./, '') : tag.slice(scope.length + 1);
  const unquoted = /^"(.*)"$/s.exec(name)?.[1]?.replace(/\\(.)/g, '$1');
  return { kind: 'attribute', scope: scope ?? 'any', name: unquoted ?? name };
}

function decoded(tag: string): string {
  try {
    return decodeURIComponent(tag);
  } catch {
    // It was encoded once, and has a percent sign.
    return tag;
  }
}
