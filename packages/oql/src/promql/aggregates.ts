import { numberText } from './vector.ts';

/** What a grouping computes: an aggregate, and where that is not the value itself, the value of it and of the number of `rows`. */
export interface Aggregate {
  readonly of: string;
  readonly value?: string;
}

/** PromQL's spreads are those of all values; OQL's are those of a sample, which one value does not have. */
export const SPREADS: Readonly<Record<'stddev' | 'stdvar', Aggregate>> = {
  stddev: { of: 'stddev(value)', value: 'if(rows == 1, 0, value * sqrt((rows - 1) / rows))' },
  stdvar: { of: 'variance(value)', value: 'if(rows == 1, 0, value * (rows - 1) / rows)' },
};

export function quantileAggregate(level: number | undefined): Aggregate | undefined {
  if (level === undefined || !(level >= 0 && level <= 1)) return undefined;
  return { of: `quantile(value, ${numberText(level)})` };
}

/** The stages that compute an aggregate for each group. */
export function aggregateStages({ of, value }: Aggregate, keys: readonly string[]): string[] {
  const by = keys.length === 0 ? '' : ` by ${keys.join(', ')}`;
  // Without keys OQL has a row even where there is nothing to group, and PromQL has none.
  const isCounted = keys.length === 0 || value !== undefined;
  return [
    `stats value=${of}${isCounted ? ', rows=count()' : ''}${by}`,
    ...(keys.length === 0 ? ['where rows > 0'] : []),
    ...(value === undefined ? [] : [`extend value = ${value}`]),
    ...(isCounted ? ['omit rows'] : []),
  ];
}
