import { type Expression, NoEqual } from './ast.ts';
import { computed } from './computed.ts';
import type { Context } from './context.ts';
import { constantOf } from './expressions.ts';
import { histogramQuantile } from './histogram-quantile.ts';
import { durationText } from './selector.ts';
import { pointsOf, rateStage, seriesOf, windowOf } from './series.ts';
import { numberText, type Vector } from './vector.ts';

const overTime: Readonly<Record<string, string>> = {
  avg_over_time: 'avg(value)',
  min_over_time: 'min(value)',
  max_over_time: 'max(value)',
  sum_over_time: 'sum(value)',
  count_over_time: 'count()',
  last_over_time: 'last(value)',
  present_over_time: 'count()',
};

export function called(context: Context, { fn, args }: Extract<Expression, { kind: 'call' }>): Vector {
  const [first, second] = args;
  if (first === undefined) throw new NoEqual(`OQL has no equal of ${fn}()`);
  const rate = rateStage(fn);
  if (rate !== undefined) return rated(context, rate, first);
  const aggregate = Object.hasOwn(overTime, fn) ? overTime[fn] : undefined;
  if (aggregate !== undefined) {
    if (first.kind !== 'selector') throw new NoEqual(`${fn} needs a range of points`);
    const vector = seriesOf(context, windowOf(context, first), aggregate);
    return fn === 'present_over_time' ? computed(context, vector, '1') : vector;
  }
  switch (fn) {
    case 'predict_linear':
      return predicted(context, first, second);
    case 'histogram_quantile':
      return histogramQuantile(context, args);
    case 'abs':
    case 'ceil':
    case 'floor':
    case 'exp':
      return computed(context, context.vectorOf(first), `${fn}(value)`);
    case 'round':
      if (args.length > 1) throw new NoEqual('OQL rounds to digits, not to multiples');
      return computed(context, context.vectorOf(first), 'floor(value + 0.5)');
    case 'clamp_min':
    case 'clamp_max': {
      const bound = second === undefined ? undefined : constantOf(second);
      if (bound === undefined || !Number.isFinite(bound)) throw new NoEqual(`${fn} needs a number`);
      const text = numberText(bound);
      const value = `if(value ${fn === 'clamp_min' ? '<' : '>'} ${text}, ${text}, value)`;
      return computed(context, context.vectorOf(first), value);
    }
    case 'sort':
    case 'sort_desc':
      // The order of a vector means nothing in a rule.
      return context.vectorOf(first);
    default:
      throw new NoEqual(`OQL has no equal of ${fn}()`);
  }
}

function rated(context: Context, stage: string, of: Expression): Vector {
  if (of.kind !== 'selector' || of.rangeSeconds === undefined) throw new NoEqual(`${stage} needs a range of points`);
  return seriesOf(context, pointsOf(of, [`${stage} ${durationText(of.rangeSeconds)}`]));
}

function predicted(context: Context, of: Expression, ahead: Expression | undefined): Vector {
  const seconds = ahead === undefined ? undefined : constantOf(ahead);
  if (of.kind !== 'selector' || of.rangeSeconds === undefined || seconds === undefined || seconds <= 0)
    throw new NoEqual('predict_linear needs a range of points and a number of seconds ahead');
  const stage = `predict ${durationText(seconds)} over ${durationText(of.rangeSeconds)}`;
  return seriesOf(context, pointsOf(of, [stage]));
}
