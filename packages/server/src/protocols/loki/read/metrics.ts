import {
  type Evaluation,
  type Expression,
  evaluate,
  type Labels,
  PromqlError,
  type SampleSeries,
  type SampleSource,
} from '@fanion/promql';
import type { Reader } from './lines.ts';
import type { MetricQuery, RangeAggregate } from './logql/ast.ts';
import { LogqlError } from './logql/error.ts';
import type { Grid } from './parameter-rules.ts';
import { ENGINE_STEP, seriesOf } from './series.ts';

/**
 * A metric query: functions of lines become series with a sample at each step, and PromQL's engine computes the rest, whose aggregation,
 * matching and order are those of LogQL.
 */
export async function evaluated(reader: Reader, query: MetricQuery, grid: Grid): Promise<Evaluation> {
  const leaves: RangeAggregate[] = [];
  const expression = expressionOf(query, leaves);
  const read: Promise<SampleSeries[]>[] = [];
  const source: SampleSource = {
    async select({ matchers }) {
      const at = Number(matchers.find(({ name }) => name === '__name__')?.value);
      const leaf = leaves[at];
      if (leaf === undefined) return { series: [], warnings: [] };
      // A divisor is selected twice.
      read[at] ??= seriesOf(reader, leaf, grid);
      return { series: await read[at], warnings: [] };
    },
  };
  const isInstant = grid.stepNs === 0n;
  const { steps, series } = reader.limits;
  const options = {
    ...{ start: 0, end: (grid.count - 1) * ENGINE_STEP, step: isInstant ? 0 : ENGINE_STEP, lookback: 1 },
    limits: { steps, series, samples: steps * series },
  };
  return evaluate(expression, options, source, reader.signal).catch((error: unknown) => {
    reader.signal.throwIfAborted();
    throw error instanceof PromqlError ? new LogqlError(error.message) : error;
  });
}

const position = { from: 0, to: 0, text: '' };
const additive: readonly string[] = ['count_over_time', 'rate', 'bytes_over_time', 'bytes_rate', 'sum_over_time'];

function expressionOf(query: MetricQuery, leaves: RangeAggregate[]): Expression {
  const of = (inner: MetricQuery) => expressionOf(inner, leaves);
  switch (query.kind) {
    case 'range': {
      const matchers = [{ name: '__name__', op: '=', value: String(leaves.push(query) - 1) } as const];
      return { kind: 'selector', matchers, shift: { offsetMs: 0 }, position };
    }
    case 'number':
      return { kind: 'number', value: query.value, position };
    case 'vector':
      return call('vector', [{ kind: 'number', value: query.value, position }]);
    case 'label_replace':
      return call('label_replace', [
        of(query.of),
        ...query.texts.map((value) => ({ kind: 'string', value, position }) as const),
      ]);
    case 'binary': {
      const { op, bool, matching } = query;
      return {
        kind: 'binary',
        op,
        bool,
        left: of(query.left),
        right: op === '/' ? divisor(query.right, of(query.right)) : of(query.right),
        ...(matching && { matching }),
        position,
      };
    }
    case 'vector_aggregate': {
      const { op, grouping, parameter } = query;
      if (op === 'sort' || op === 'sort_desc') return call(op, [of(query.of)]);
      const inner = op === 'sum' && grouping?.mode !== 'without' ? grouped(query.of, grouping?.labels ?? []) : query.of;
      return {
        ...{ kind: 'aggregate', op, of: of(inner), position },
        ...(grouping && { grouping }),
        ...(parameter !== undefined && { parameter: { kind: 'number', value: parameter, position } }),
      };
    }
  }
}

/** Of LogQL, division by zero is not a number, while PromQL's gives an infinity: zeros are replaced. */
function divisor(query: MetricQuery, right: Expression): Expression {
  const nan = { kind: 'number', value: Number.NaN, position } as const;
  const zero = { kind: 'number', value: 0, position } as const;
  const constant = constantOf(query);
  if (constant !== undefined) return constant === 0 ? nan : right;
  const binary = { kind: 'binary', bool: false, position } as const;
  const others: Expression = { ...binary, op: '!=', left: right, right: zero };
  const zeros: Expression = { ...binary, op: '*', left: right, right: nan };
  return { ...binary, op: 'or', left: others, right: zeros };
}

/** The value of an operation between numbers only; undefined for all else. */
function constantOf(query: MetricQuery): number | undefined {
  if (query.kind === 'number') return query.value;
  if (query.kind !== 'binary') return undefined;
  const [left, right] = [constantOf(query.left), constantOf(query.right)];
  if (left === undefined || right === undefined) return undefined;
  switch (query.op) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return right === 0 ? Number.NaN : left / right;
    case '%':
      return left % right;
    case '^':
      return left ** right;
    default:
      return undefined;
  }
}

function call(fn: string, args: readonly Expression[]): Expression {
  return { kind: 'call', fn, args, position };
}

/** A sum of counts by labels needs only these labels of the lines: a series for each trace would be too many. */
function grouped(query: MetricQuery, labels: readonly string[]): MetricQuery {
  if (query.kind !== 'range' || query.grouping || !additive.includes(query.op)) return query;
  return { ...query, grouping: { mode: 'by', labels } };
}

/** A number as Go writes it. */
function valueText(value: number): string {
  if (Number.isFinite(value)) return String(value).replace(/e([+-])(\d)$/, 'e$10$2');
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}

/** The data of Loki's answer, with times in seconds. */
export function dataOf(
  { result }: Evaluation,
  { startNs, stepNs }: Grid,
): { readonly resultType: string; readonly result: unknown } {
  const timeOf = (engine: number) =>
    Number((startNs + (BigInt(Math.round(engine)) * stepNs) / BigInt(ENGINE_STEP)) / 1_000_000n) / 1_000;
  const metric = (labels: Labels) => Object.fromEntries(labels);
  switch (result.type) {
    case 'scalar':
      return { resultType: 'scalar', result: [timeOf(result.time), valueText(result.value)] };
    case 'vector':
      return {
        resultType: 'vector',
        result: result.samples.map(({ labels, time, value }) => ({
          metric: metric(labels),
          value: [timeOf(time), valueText(value)],
        })),
      };
    case 'matrix':
      return {
        resultType: 'matrix',
        result: result.series.map(({ labels, times, values }) => ({
          metric: metric(labels),
          values: Array.from(times, (time, i) => [timeOf(time), valueText(values[i] ?? 0)]),
        })),
      };
    case 'string':
      throw new LogqlError('a text is not a result');
  }
}
