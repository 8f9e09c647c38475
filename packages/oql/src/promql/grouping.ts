import { type Aggregate, aggregateStages } from './aggregates.ts';
import { type Grouping, NoEqual } from './ast.ts';
import type { Context } from './context.ts';
import { keyOf } from './series.ts';
import type { Vector } from './vector.ts';

/** The labels that a grouping keeps of a vector with the labels `of`, or of points. */
export function groupLabels({ options }: Context, { mode, labels }: Grouping, of?: readonly string[]): string[] {
  const own = [...new Set(labels)].filter((label) => label !== '__name__');
  if (mode === 'by') return of === undefined ? own : own.filter((label) => of.includes(label));
  const all = of ?? options.labels;
  if (all === undefined)
    throw new NoEqual(
      'it groups by all labels but some, and the labels of its series are not known: name them with --labels, or connect to the server',
    );
  return [...all].filter((label) => !own.includes(label) && label !== '__name__').sort();
}

export function grouped(
  context: Context,
  stages: readonly string[],
  aggregate: Aggregate,
  labels: readonly string[],
  ofPoints: boolean,
): Vector {
  const keys = labels.map((label) => keyOf(context, label, ofPoints));
  return { stages: [...stages, ...aggregateStages(aggregate, keys)], labels };
}
