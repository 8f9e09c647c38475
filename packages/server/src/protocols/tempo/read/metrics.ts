import { fail } from '../../../platform/fail.ts';
import { formatNs, type Window } from '../../../platform/time-window.ts';
import type { Parameters, Place } from '../../read/request.ts';
import { ask, parsed, type QueryParts, translating } from './ask.ts';
import { compare } from './compare-metric.ts';
import { comparePlan } from './compare-metric-rules.ts';
import { type Bounds, metricPlan, picked, type Range, type Series, type Steps, seriesOf } from './metric-rules.ts';
import { durationOf, invalid, windowOf } from './parameter-rules.ts';
import { nanosOf } from './search.ts';
import { unsupported } from './traceql/error.ts';
import type { Metric, TraceqlQuery } from './traceql/tree.ts';

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
    series: series.map(({ labels, values }) => ({
      labels,
      samples: [...values].flatMap((value, i) =>
        Number.isNaN(value) ? [] : [{ timestampMs: String(endOf(steps, i) / 1_000_000n), value: jsonNumber(value) }],
      ),
    })),
    metrics: {},
  };
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
  const asked = parsed(text);
  const refuse = (series: number) => refuseMany(parts, series, steps.count);
  const read = readerOf(parts, place, asked, { hasSteps, window, steps, refuse, nowMs });
  const run = async () => {
    const series = await read();
    return {
      data: { rows: { length: series.length } },
      meta: { from: formatNs(window.fromNs), to: formatNs(window.toNs) },
      series: picked(series, asked.picks, steps.count),
    };
  };
  const { series } = await parts.history.observe({ ...place, query: text }, run);
  return { steps, series };
}

/** Translates a query, and returns what reads its series. */
function readerOf(parts: QueryParts, place: Place, asked: TraceqlQuery, range: Bounds) {
  const { hasSteps, window, steps, refuse } = range;
  const { stages } = asked;
  const metric = translating(() => metricOf(asked));
  if (metric.kind === 'compare') {
    const plan = translating(() => comparePlan(stages, metric));
    return () => compare(parts, place, { plan, metric, ...range });
  }
  const plan = translating(() => metricPlan(stages, metric, hasSteps ? steps.widthNs : undefined));
  return async () => {
    const asked = { pipeline: plan.pipeline, window, limit: maxRows, what: 'series and steps' };
    const rows = await ask(parts, place, asked);
    const stepOf = (begin: unknown) =>
      hasSteps ? Number((nanosOf(String(begin)) - steps.firstNs) / steps.widthNs) : 0;
    return seriesOf(plan, rows, steps, stepOf, refuse);
  };
}

function metricOf({ metric }: TraceqlQuery): Metric {
  if (metric === undefined) throw unsupported('a query without a metrics function, such as rate(),');
  return metric;
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
