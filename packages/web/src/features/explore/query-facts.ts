import { parse } from '@fanion/oql/syntax';
import { fieldPath } from '../../telemetry/filters.ts';

type Stage = NonNullable<ReturnType<typeof parse>['query']>['pipeline']['stages'][number];
type Expression = Extract<Stage, { kind: 'where' }>['predicate'];

/** What the text of a query says about the columns of its result. */
export interface QueryFacts {
  /** Columns that are shares of 1. */
  readonly ratios: ReadonlySet<string>;
  /** Whether rows are groups of what was read. */
  readonly aggregated: boolean;
  /** The field of OQL of a column or of an entry of a map, if a condition before the first aggregation can use it. */
  readonly fieldOf: (name: string) => string | undefined;
  /** Whether rows are records around matches, which the column `match` marks. */
  readonly showsContext: boolean;
}

/** Functions that return a share from 0 to 1. */
const SHARES = new Set(['ratio', 'histogram_fraction', 'share']);
/** Stages whose rows are no longer those of the source. */
const GROUPING = new Set([
  'stats',
  'concurrency',
  'aggregate',
  'patterns',
  'contrast',
  'funnel',
  'flame',
  'join',
  'union',
  'match',
]);

export function queryFacts(query: string): QueryFacts {
  const stages = parse(query).query?.pipeline.stages ?? [];
  const ratios = new Set<string>();
  const computed = new Set<string>();
  for (const stage of stages) {
    if (stage.kind === 'extend') {
      for (const { target, value } of stage.assignments) {
        computed.add(target.segments.join('.'));
        if (isShare(value)) ratios.add(target.segments.join('.'));
      }
    } else if (stage.kind === 'stats') {
      for (const { alias, value } of stage.aggregates)
        if (isShare(value)) ratios.add(alias?.text ?? query.slice(value.start, value.end));
    } else if (stage.kind === 'aggregate' && SHARES.has(stage.name.text)) ratios.add(stage.name.text);
  }
  const grouping = stages.find(({ kind }) => GROUPING.has(kind));
  if (grouping === undefined) {
    const showsContext = stages.some(({ kind }) => kind === 'context') && !computed.has('match');
    return { ratios, aggregated: false, fieldOf: (name) => rawField(name, computed), showsContext };
  }
  // Only plain keys of the first grouping are fields of the source.
  const keys = new Map<string, string>();
  if (grouping.kind === 'stats' || grouping.kind === 'aggregate') {
    for (const { alias, value } of grouping.by) {
      if (value.kind !== 'path' || value.index !== undefined) continue;
      const name = value.segments.join('.');
      if (!computed.has(name)) keys.set(alias?.text ?? name, name);
    }
  }
  return { ratios, aggregated: true, fieldOf: (name) => keys.get(name), showsContext: false };
}

function isShare(value: Expression): boolean {
  if (value.kind === 'over') return SHARES.has(value.call.name.text);
  return value.kind === 'call' && SHARES.has(value.name.text);
}

/** Entries of the map of attributes are fields by their own names. */
function rawField(name: string, computed: ReadonlySet<string>): string | undefined {
  if (computed.has(name)) return undefined;
  return name.startsWith('attributes.') ? name.slice('attributes.'.length) : name;
}

/** The stage that counts rows by a field. */
export function groupStage(field: string): string {
  return `stats n=count() by ${fieldPath(field)}`;
}
