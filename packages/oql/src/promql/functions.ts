import { type Aggregate, quantileAggregate, SPREADS } from './aggregates.ts';
import { type Expression, NoEqual } from './ast.ts';
import { computed } from './computed.ts';
import type { Context } from './context.ts';
import { constantOf } from './expressions.ts';
import { histogramQuantile } from './histogram-quantile.ts';
import { joinedLabel, replacedLabel } from './labels.ts';
import { durationText } from './selector.ts';
import { pointsOf, rateStage, seriesOf, windowOf } from './series.ts';
import { infinity, notANumber, numberText, type Vector } from './vector.ts';

const overTime: Readonly<Record<string, Aggregate>> = {
  avg_over_time: { of: 'avg(value)' },
  min_over_time: { of: 'min(value)' },
  max_over_time: { of: 'max(value)' },
  sum_over_time: { of: 'sum(value)' },
  count_over_time: { of: 'count()' },
  last_over_time: { of: 'last(value)' },
  present_over_time: { of: 'count()' },
  stddev_over_time: SPREADS.stddev,
  stdvar_over_time: SPREADS.stdvar,
  changes: { of: 'changes(value)' },
  resets: { of: 'resets(value)' },
};

const ofOneNumber: Readonly<Record<string, string>> = {
  abs: 'abs(value)',
  ceil: 'ceil(value)',
  floor: 'floor(value)',
  exp: 'exp(value)',
  sgn: 'case(value > 0, 1, value < 0, -1, value)',
  sqrt: `if(value >= 0, sqrt(value), ${notANumber})`,
  ...Object.fromEntries(
    ['ln', 'log2', 'log10'].map((fn) => [fn, `case(value > 0, ${fn}(value), value == 0, -${infinity}, ${notANumber})`]),
  ),
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
  const ofNumber = Object.hasOwn(ofOneNumber, fn) ? ofOneNumber[fn] : undefined;
  if (ofNumber !== undefined) return computed(context, context.vectorOf(first), ofNumber);
  switch (fn) {
    case 'quantile_over_time':
      return quantileOverTime(context, first, second);
    case 'label_replace':
      return replacedLabel(context, args);
    case 'label_join':
      return joinedLabel(context, args);
    case 'predict_linear':
      return predicted(context, first, second);
    case 'histogram_quantile':
      return histogramQuantile(context, args);
    case 'round':
      return computed(context, context.vectorOf(first), rounded(second));
    case 'clamp': {
      const [low, high] = [boundOf(fn, second), boundOf(fn, args[2])];
      if (Number(low) > Number(high)) throw new NoEqual('clamp whose lower bound is above its upper one has no series');
      const value = `case(value < ${low}, ${low}, value > ${high}, ${high}, value)`;
      return computed(context, context.vectorOf(first), value);
    }
    case 'clamp_min':
    case 'clamp_max': {
      const text = boundOf(fn, second);
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

function boundOf(fn: string, of: Expression | undefined): string {
  const bound = of === undefined ? undefined : constantOf(of);
  if (bound === undefined || !Number.isFinite(bound)) throw new NoEqual(`${fn} needs a number`);
  return numberText(bound);
}

/** To the nearest multiple, as Prometheus computes it: halves upwards, by the inverse of the multiple. */
function rounded(multiple: Expression | undefined): string {
  if (multiple === undefined) return 'floor(value + 0.5)';
  const inverse = 1 / (constantOf(multiple) ?? Number.NaN);
  if (!Number.isFinite(inverse) || inverse === 0) throw new NoEqual('round needs a number other than 0');
  const text = inverse < 0 ? `(${numberText(inverse)})` : numberText(inverse);
  return `floor(value * ${text} + 0.5) / ${text}`;
}

function quantileOverTime(context: Context, level: Expression, of: Expression | undefined): Vector {
  const aggregate = quantileAggregate(constantOf(level));
  if (aggregate === undefined || of?.kind !== 'selector')
    throw new NoEqual('quantile_over_time needs a level from 0 to 1 and a range of points');
  return seriesOf(context, windowOf(context, of), aggregate);
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
