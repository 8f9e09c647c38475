import { createBreath } from '../../../platform/breath.ts';
import { fail } from '../../../platform/fail.ts';
import { formatNs, type Window } from '../../../platform/time-window.ts';
import type { Parameters, Place } from '../../read/request.ts';
import { ask, parsed, type QueryParts, translating } from './ask.ts';
import { compare } from './compare-metric.ts';
import { comparePlan } from './compare-metric-rules.ts';
import { exemplarPlan, withExemplars } from './exemplar-rules.ts';
import { metricPlan, seriesOf } from './metric-rules.ts';
import { countOf, durationOf, invalid, windowOf } from './parameter-rules.ts';
import { nanosOf } from './search.ts';
import {
  type Bounds,
  combined,
  type Exemplar,
  processed,
  type Range,
  type Series,
  type Steps,
  scaled,
} from './series-rules.ts';
import { unsupported } from './traceql/error.ts';
import { maxExemplars } from './traceql/hints.ts';
import { computed } from './traceql/metrics-values.ts';
import type { MetricsExpression, MetricsQuery } from './traceql/tree.ts';

/** As in Tempo. */
const defaultExemplars = 100;

/** Rows of one answer of the store. */
const maxRows = 199_999;

interface Measured {
  readonly steps: Steps;
  readonly series: readonly Series[];
}

/** `tempopb.QueryRangeResponse` in protobuf's JSON. */
export async function metricsRange(parts: QueryParts, place: Place, parameters: Parameters, nowMs: number) {
  const window = windowOf(parameters, nowMs);
  const { steps, series } = await measure(parts, place, parameters, rangeOf(parts, parameters, window), nowMs);
  return {
    series: series.map(({ labels, values, exemplars }) => ({
      labels,
      samples: [...values].flatMap((value, i) =>
        Number.isNaN(value) ? [] : [{ timestampMs: String(endOf(steps, i) / 1_000_000n), value: jsonNumber(value) }],
      ),
      ...(exemplars.length > 0 && { exemplars: exemplars.flatMap((one) => sentExemplar(one, values)) }),
    })),
    metrics: {},
  };
}

/** A span of a series, at its own value or on the line; none where the series has no value. */
function sentExemplar({ traceId, spanId, timeNs, step, value }: Exemplar, values: Float64Array) {
  const shown = values[step] ?? Number.NaN;
  if (Number.isNaN(shown)) return [];
  return [
    {
      labels: [
        { key: 'trace:id', value: { stringValue: traceId } },
        { key: 'span:id', value: { stringValue: spanId } },
      ],
      value: jsonNumber(value ?? shown),
      timestampMs: String(timeNs / 1_000_000n),
    },
  ];
}

/** `tempopb.QueryInstantResponse`: one value for the whole window. */
export async function metricsInstant(parts: QueryParts, place: Place, parameters: Parameters, nowMs: number) {
  const { fromNs, toNs } = windowOf(parameters, nowMs);
  const steps = { firstNs: fromNs, widthNs: toNs - fromNs, count: 1 };
  const range = { hasSteps: false, window: { fromNs, toNs: toNs + 1n }, steps };
  const { series } = await measure(parts, place, parameters, range, nowMs);
  return {
    series: series.flatMap(({ labels, values: [value = Number.NaN] }) =>
      Number.isNaN(value) ? [] : [{ labels, value: jsonNumber(value) }],
    ),
    metrics: {},
  };
}

const jsonNumber = (value: number) => (Number.isFinite(value) ? value : String(value));

const endOf = ({ firstNs, widthNs }: Steps, place: number) => firstNs + BigInt(place + 1) * widthNs;

/** As in Tempo, steps are multiples of their width, and the first one ends where the window begins. */
function rangeOf({ limits }: QueryParts, parameters: Parameters, { fromNs, toNs }: Window): Range {
  const text = parameters.one('step');
  const widthNs = text === undefined ? defaultStep(toNs - fromNs) : durationOf('step', text);
  if (widthNs <= 0n) throw invalid('step', 'it must be positive');
  const start = fromNs - (fromNs % widthNs);
  const end = toNs % widthNs === 0n ? toNs : toNs + (widthNs - (toNs % widthNs));
  const firstNs = start > widthNs ? start - widthNs : start;
  const count = (end - firstNs) / widthNs;
  if (count > BigInt(limits.steps))
    throw invalid('step', `it makes more than ${limits.steps} steps; choose a longer one`);
  return {
    hasSteps: true,
    window: { fromNs: firstNs + 1n, toNs: end + 1n },
    steps: { firstNs, widthNs, count: Number(count) },
  };
}

const secondNs = 1_000_000_000n;
const niceSteps = [3_600n, 300n, 60n, 15n, 5n, 1n].map((seconds) => seconds * secondNs);

/** Tempo's own: about 240 steps, in multiples of a round width. */
function defaultStep(widthNs: bigint): bigint {
  const wanted = widthNs / 240n;
  const nice = niceSteps.find((one) => wanted > one);
  return nice === undefined ? secondNs : (wanted / nice) * nice;
}

async function measure(
  parts: QueryParts,
  place: Place,
  parameters: Parameters,
  { hasSteps, window, steps }: Range,
  nowMs: number,
): Promise<Measured> {
  const text = parameters.one('q') ?? parameters.one('query');
  if (text === undefined) throw invalid('q', 'it is missing');
  const { metrics, hints } = parsed(text);
  const wanted = countOf(parameters, 'exemplars', 0, maxExemplars) || defaultExemplars;
  const exemplars = hasSteps ? (hints.exemplars ?? wanted) : 0;
  const refuse = (series: number) => refuseMany(parts, series, steps.count);
  const read = translating(() => {
    if (metrics === undefined) throw unsupported('a query without a metrics function, such as rate(),');
    return readerOf(parts, place, metrics, { hasSteps, window, steps, refuse, nowMs, exemplars });
  });
  const run = async () => {
    const series = await read();
    return {
      data: { rows: { length: series.length } },
      meta: { from: formatNs(window.fromNs), to: formatNs(window.toNs) },
      series,
    };
  };
  const { series } = await parts.history.observe({ ...place, query: text }, run);
  return { steps, series };
}

interface Asked extends Bounds {
  /** Most exemplars of all metrics queries. */
  readonly exemplars: number;
}

type Read = () => Promise<Series[]>;

/** Translates an expression, and returns what reads its series. @throws {TraceqlError} */
function readerOf(parts: QueryParts, place: Place, of: MetricsExpression, asked: Asked): Read {
  const pause = createBreath();
  switch (of.kind) {
    case 'number':
      throw unsupported('a number alone');
    case 'query': {
      const read = queryReader(parts, place, of, asked);
      return async () => processed(await read(), of.after, pause);
    }
    case 'arithmetic': {
      const { operator, left, right, after } = of;
      if (left.kind === 'number' || right.kind === 'number') {
        const read = readerOf(parts, place, left.kind === 'number' ? right : left, asked);
        const by = (value: number) =>
          left.kind === 'number'
            ? computed(operator, left.value, value)
            : computed(operator, value, right.kind === 'number' ? right.value : Number.NaN);
        return async () => processed(await scaled(await read(), by, pause), after, pause);
      }
      // Each has its share of the exemplars, but at least one.
      const half = { ...asked, exemplars: Math.ceil(asked.exemplars / 2) };
      const [first, second] = [readerOf(parts, place, left, half), readerOf(parts, place, right, half)];
      return async () => {
        const lefts = await first();
        const series = await combined(operator, lefts, await second(), pause);
        return processed(series, after, pause);
      };
    }
  }
}

function queryReader(parts: QueryParts, place: Place, { stages, metric }: MetricsQuery, asked: Asked): Read {
  const { hasSteps, window, steps, refuse, exemplars } = asked;
  if (metric.kind === 'compare') {
    const plan = comparePlan(stages, metric);
    return () => compare(parts, place, { plan, metric, ...asked });
  }
  const plan = metricPlan(stages, metric, hasSteps ? steps.widthNs : undefined);
  return async () => {
    const rows = await ask(parts, place, { pipeline: plan.pipeline, window, limit: maxRows, what: 'series and steps' });
    const stepOf = (begin: unknown) =>
      hasSteps ? Number((nanosOf(String(begin)) - steps.firstNs) / steps.widthNs) : 0;
    const series = await seriesOf(plan, rows, steps, { stepOf, refuse, pause: createBreath() });
    if (exemplars === 0 || series.length === 0) return series;
    const { pipeline, most } = exemplarPlan(stages, metric, steps, { series: series.length, most: exemplars });
    return withExemplars(series, plan, await ask(parts, place, { pipeline, window, limit: most }), steps, nanosOf);
  };
}

function refuseMany({ limits }: QueryParts, series: number, steps: number): void {
  if (series > limits.series)
    throw fail('QUERY_TOO_EXPENSIVE', {
      reason: `it has more than ${limits.series} series; group by fewer fields, or compare fewer values of each attribute`,
    });
  if (series * steps > limits.samples)
    throw fail('QUERY_TOO_EXPENSIVE', {
      reason: `its series have more than ${limits.samples} samples; choose a longer step or fewer fields`,
    });
}
