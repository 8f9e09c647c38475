import type { ResultValue } from '@fanion/oql';
import { createBreath } from '../../../platform/breath.ts';
import { formatNs, type Window } from '../../../platform/time-window.ts';
import type { Parameters, Place } from '../../read/request.ts';
import { ask, parsed, type QueryParts, translating } from './ask.ts';
import { evaluateStages, type SpanSet } from './evaluate-rules.ts';
import {
  all,
  call,
  compare,
  extend,
  field,
  inList,
  keep,
  limit,
  negative,
  pipeline,
  sort,
  stats,
  text,
  where,
} from './oql-tree.ts';
import { countOf, durationConditions, invalid, stagesOfTags, windowOf } from './parameter-rules.ts';
import { planOf, type SearchPlan } from './plan-rules.ts';
import { nestedSets, treeOf } from './relation-rules.ts';
import { type FoundTrace, foundTrace, type SpanFacts, type TraceFacts } from './search-answer-rules.ts';
import type { Stage } from './traceql/tree.ts';

const defaultTraces = 20;
const defaultSpans = 3;
/** Traces that are read at once where conditions are about the relations of their spans. */
const tracesAtOnce = 100;

interface Search {
  readonly plan: SearchPlan;
  readonly window: Window;
  readonly traces: number;
  /** Most spans of a set; 0: all. */
  readonly spansOfSet: number;
}

/** The traces that a search finds, newest first. */
export async function search(parts: QueryParts, place: Place, parameters: Parameters, nowMs: number) {
  const asked = searchOf(parts, parameters, nowMs);
  const run = async () => {
    const traces = await find(parts, place, asked);
    const { fromNs, toNs } = asked.window;
    return {
      data: { rows: { length: traces.length } },
      meta: { from: formatNs(fromNs), to: formatNs(toNs) },
      traces,
    };
  };
  const query = parameters.one('q') ?? parameters.one('tags') ?? '{}';
  const { traces } = await parts.history.observe({ ...place, query }, run);
  return { traces, metrics: { inspectedTraces: traces.length } };
}

function searchOf({ limits }: QueryParts, parameters: Parameters, nowMs: number): Search {
  const stages = stagesOf(parameters);
  const traces = countOf(parameters, 'limit', defaultTraces, limits.traces);
  if (traces === 0) throw invalid('limit', 'must be a positive number');
  return {
    plan: translating(() => planOf(stages)),
    window: windowOf(parameters, nowMs),
    traces,
    spansOfSet: countOf(parameters, 'spss', defaultSpans, limits.spans),
  };
}

function stagesOf(parameters: Parameters): readonly Stage[] {
  const q = parameters.one('q');
  if (q === undefined) return stagesOfTags(parameters);
  if (parameters.one('tags') !== undefined) throw invalid('tags', "can't specify tags and q in the same query");
  const { stages, metrics } = parsed(q);
  if (metrics !== undefined) throw invalid('q', 'a metrics query has its own path: /tempo/api/metrics/query_range');
  const durations = durationConditions(parameters);
  return [
    ...stages,
    ...durations.map((condition): Stage => ({ kind: 'spanset', spanset: { kind: 'filter', condition } })),
  ];
}

async function find(parts: QueryParts, place: Place, asked: Search): Promise<FoundTrace[]> {
  const found: FoundTrace[] = [];
  const isSimple = asked.plan.simple !== undefined;
  const page = isSimple ? asked.traces : tracesAtOnce;
  let spansLeft = parts.limits.spans;
  for (let offset = 0; found.length < asked.traces; offset += page) {
    const ids = await candidates(parts, place, asked, page, offset);
    if (ids.length === 0) break;
    const spans = await readSpans(parts, place, asked, ids, spansLeft);
    spansLeft = Math.max(1, spansLeft - spans.length);
    const matched = await match(asked, ids, spans);
    const wanted = matched.slice(0, asked.traces - found.length);
    const facts = await readFacts(
      parts,
      place,
      asked.window,
      wanted.map(({ id }) => id),
    );
    for (const { id, sets, spans } of wanted)
      found.push(foundTrace(id, facts.get(id), sets, spans, { shown: asked.plan.shown, most: asked.spansOfSet }));
    if (ids.length < page) break;
  }
  return found;
}

/** Traces that may match, by their newest span that does. */
async function candidates(parts: QueryParts, place: Place, asked: Search, count: number, offset: number) {
  const rows = await ask(parts, place, {
    pipeline: pipeline(
      'spans',
      where(asked.plan.needed),
      stats([['newest', call('max', field('time'))]], [['trace_id', field('trace_id')]]),
      sort(negative(field('newest')), field('trace_id')),
      limit(count, offset),
      keep('trace_id'),
    ),
    window: asked.window,
    limit: count,
  });
  return rows.map(([id]) => String(id));
}

const ofTraces = (ids: readonly string[]) => inList(field('trace_id'), ids);

/** The columns of a span before those of the plan. */
const spanColumns = ['trace_id', 'span_id', 'parent_span_id', 'time', 'duration', 'name'] as const;

/** The spans of some traces with the columns of the plan: those that match, or all where spans depend on each other. */
async function readSpans(
  parts: QueryParts,
  place: Place,
  { plan, window }: Search,
  ids: readonly string[],
  most: number,
) {
  const added = plan.values.map((value, i) => [`column${i}`, value] as const);
  const rows = await ask(parts, place, {
    pipeline: pipeline(
      'spans',
      where(plan.simple === undefined ? ofTraces(ids) : all(ofTraces(ids), plan.simple)),
      ...plan.related,
      ...(added.length > 0 ? [extend(added)] : []),
      sort(field('time'), field('span_id')),
      keep(...spanColumns, ...added.map(([name]) => name)),
    ),
    window,
    limit: most,
    what: 'spans to look at',
  });
  return rows.map(spanOf);
}

function spanOf([trace, id, parent, time, duration, name, ...values]: readonly ResultValue[]): SpanFacts {
  return {
    ...{ trace: String(trace), id: String(id), parent: typeof parent === 'string' ? parent : null },
    ...{ startNs: nanosOf(String(time)), durationNs: String(duration), name: String(name ?? '') },
    values,
  };
}

/** Nanoseconds since 1970 of a time of RFC 3339 in UTC. */
export function nanosOf(time: string): bigint {
  const [, seconds = '', fraction = ''] = /^([^.Z]+)(?:\.(\d+))?Z$/.exec(time) ?? [];
  return BigInt(Date.parse(`${seconds}Z`)) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}

interface Matched {
  readonly id: string;
  readonly spans: readonly SpanFacts[];
  readonly sets: readonly SpanSet[];
}

async function match({ plan }: Search, ids: readonly string[], spans: readonly SpanFacts[]): Promise<Matched[]> {
  const byTrace = groupedByTrace(spans);
  const breath = createBreath();
  const matched: Matched[] = [];
  for (const id of ids) {
    const own = byTrace.get(id) ?? [];
    const tree = treeOf(own);
    const sets = evaluateStages(plan.stages, { tree, values: own.map(({ values }) => values) }, plan.columns);
    if (sets.length > 0) matched.push({ id, sets, spans: numbered(own, plan, () => nestedSets(tree)) });
    await breath();
  }
  return matched;
}

function groupedByTrace(spans: readonly SpanFacts[]): ReadonlyMap<string, SpanFacts[]> {
  const groups = new Map<string, SpanFacts[]>();
  for (const span of spans) {
    const known = groups.get(span.trace);
    if (known === undefined) groups.set(span.trace, [span]);
    else known.push(span);
  }
  return groups;
}

function numbered(
  spans: readonly SpanFacts[],
  { numbers }: SearchPlan,
  numbersOf: () => ReturnType<typeof nestedSets>,
): readonly SpanFacts[] {
  if (numbers.length === 0) return spans;
  const { left, right, parent } = numbersOf();
  const of = {
    nestedSetLeft: (i: number) => left[i] ?? 0,
    nestedSetRight: (i: number) => right[i] ?? 0,
    nestedSetParent: parent,
  };
  return spans.map((span, i) => ({ ...span, numbers: numbers.map((name) => [name, of[name](i)] as const) }));
}

/** What a list of traces says of each: its root, its times, and the spans of its services. */
async function readFacts(parts: QueryParts, place: Place, window: Window, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, TraceFacts>();
  const isError = compare(field('status'), '==', text('error'));
  const [traces, services] = await Promise.all([
    ask(parts, place, {
      pipeline: pipeline('traces', where(ofTraces(ids)), keep('trace_id', 'time', 'duration', 'service.name', 'name')),
      window,
      limit: ids.length,
    }),
    ask(parts, place, {
      pipeline: pipeline(
        'spans',
        where(ofTraces(ids)),
        stats(
          [
            ['spans', call('count_distinct', field('span_id'))],
            ['errors', call('count_distinct_if', field('span_id'), isError)],
          ],
          [
            ['trace_id', field('trace_id')],
            ['service', field('service.name')],
          ],
        ),
      ),
      window,
      limit: parts.limits.spans,
      what: 'services in its traces',
    }),
  ]);
  const facts = new Map<string, TraceFacts>();
  for (const [id, time, duration, service, name] of traces)
    facts.set(String(id), {
      ...{ startNs: nanosOf(String(time)), durationNs: Number(duration) },
      ...{ service: String(service ?? ''), name: String(name ?? ''), services: new Map() },
    });
  for (const [id, service, spans, errors] of services)
    facts.get(String(id))?.services.set(String(service ?? ''), { spans: Number(spans), errors: Number(errors) });
  return facts;
}
