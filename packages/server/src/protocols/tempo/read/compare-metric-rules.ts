import type { Tree } from '@fanion/oql';
import type { AnyValue, KeyValue } from './attribute-rules.ts';
import { conditionOf } from './condition-rules.ts';
import { call, extend, int, keep, pipeline, where } from './oql-tree.ts';
import type { Series, Steps } from './series-rules.ts';
import { selectedBy } from './spanset-condition-rules.ts';
import { writtenField } from './traceql/fields.ts';
import type { Field, Metric, Stage } from './traceql/tree.ts';

/**
 * `compare()` counts the spans of a selection and all others, the baseline, by each value of each attribute. Its series are
 * those of Tempo (`pkg/traceql/engine_metrics_compare.go`): of each side and attribute the most frequent values and the
 * total, and a series without samples for an attribute that has more values.
 */
export type Compare = Extract<Metric, { readonly kind: 'compare' }>;

/** Spans with all that is compared of them. */
export function comparePlan(stages: readonly Stage[], { selection }: Compare): Tree.Pipeline {
  const selected = call('if', conditionOf(selection), int(1n), int(0n));
  return pipeline('spans', where(selectedBy(stages)), extend([['selected', selected]]), keep(...comparedColumns));
}

const comparedColumns = [
  ...['time', 'weight', 'selected', 'name', 'kind', 'status', 'status_message', 'scope.name', 'scope.version'],
  ...['attributes', 'resource', 'scope.attributes'],
];

export type ComparedScope = 'intrinsic' | 'span' | 'resource' | 'instrumentation';

/** Counts of one attribute on one side. */
export interface Compared {
  readonly isSelected: boolean;
  readonly scope: ComparedScope;
  readonly name: string;
  /** How many different values it has. */
  readonly distinct: number;
  readonly total: Counts;
  /** The most frequent values. `type` is the letter of the type that it was sent with; `s`: text. */
  readonly values: readonly (Counts & { readonly type: string; readonly value: string })[];
}

/** Spans by the place of their step, where there are any. */
export interface Counts {
  readonly places: readonly number[];
  readonly counts: readonly number[];
}

/**
 * @param top how many values each attribute shows
 * @param refuse throws if there are too many series, before memory is taken for all of their steps
 */
export function comparedSeries(
  compared: readonly Compared[],
  top: number,
  steps: Steps,
  refuse: (series: number) => void,
): Series[] {
  const tooMany = new Set(compared.filter(({ distinct }) => distinct > top).map(writtenName));
  refuse(compared.reduce((sum, { values }) => sum + 1 + values.length, tooMany.size));
  const series = compared.flatMap((one): Series[] => {
    const side = one.isSelected ? 'selection' : 'baseline';
    const [key, of] = [writtenName(one), (type: string) => meta('__meta_type', type)];
    return [
      { labels: [of(`${side}_total`), nil(key)], values: spread(one.total, steps), exemplars: [] },
      ...one.values.map((found) => ({
        labels: [of(side), { key, value: sentValue(found) }],
        values: spread(found, steps),
        exemplars: [],
      })),
    ];
  });
  const without = [...tooMany].map((key) => ({
    labels: [meta('__meta_error', '__too_many_values__'), nil(key)],
    values: new Float64Array(steps.count).fill(Number.NaN),
    exemplars: [],
  }));
  const all = [...series, ...without].map((one) => [JSON.stringify(one.labels), one] as const);
  return all.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}

const meta = (key: string, stringValue: string): KeyValue => ({ key, value: { stringValue } });
const nil = (key: string): KeyValue => meta(key, 'nil');

function writtenName({ scope, name }: Pick<Compared, 'scope' | 'name'>): string {
  if (scope === 'intrinsic') return name;
  const field: Field = { kind: 'attribute', scope, name };
  return writtenField(field);
}

function sentValue({ type, value }: { readonly type: string; readonly value: string }): AnyValue {
  switch (type) {
    case 'i':
      return { intValue: value };
    case 'n':
      return /^-?\d+$/.test(value) ? { intValue: value } : { doubleValue: Number(value) };
    case 'f':
      return { doubleValue: Number.isFinite(Number(value)) ? Number(value) : value };
    case 'b':
      return { boolValue: value === 'true' };
    default:
      return { stringValue: value };
  }
}

function spread({ places, counts }: Counts, { count }: Steps): Float64Array {
  const values = new Float64Array(count);
  for (const [at, place] of places.entries()) if (place >= 0 && place < count) values[place] = counts[at] ?? 0;
  return values;
}
