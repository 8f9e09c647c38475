import type { Relation } from './check/relation.ts';
import type { Query, Stage } from './syntax/ast.ts';

/** Stages after the groups that treat each row by itself, so that they mean the same for each step of time. */
const byRow: ReadonlySet<Stage['kind']> = new Set(['where', 'extend', 'fields', 'omit']);

/**
 * The query with time as one more key of its groups, in steps of a width; or why it has no meaning for each step.
 * @param relation what the query returns without it
 */
export function groupedByTime(
  query: Query,
  relation: Relation,
  widthNs: bigint,
): { readonly query: Query } | { readonly problem: string } {
  const { stages } = query.pipeline;
  const at = stages.findLastIndex(({ kind }) => kind === 'stats' || kind === 'aggregate');
  const grouping = stages[at];
  if (grouping === undefined || (grouping.kind !== 'stats' && grouping.kind !== 'aggregate'))
    return { problem: 'This query returns single rows. End it with an aggregate, as in `stats value=count()`.' };
  if (query.range)
    return { problem: 'This query names its own window. Leave out `from …;`: it is asked for each step of time.' };
  if (relation.bucket !== undefined)
    return { problem: 'This query groups by time. Leave out `bucket(…)`: it is asked for each step of time.' };
  const after = stages.slice(at + 1).find(({ kind }) => !byRow.has(kind));
  if (after !== undefined)
    return {
      problem: `\`${after.kind === 'held' ? 'where … for' : after.kind}\` after the groups would act across steps of time. Leave it out.`,
    };
  const { start, end } = grouping;
  const bucket = {
    kind: 'call',
    name: { text: 'bucket', start, end },
    args: { star: false, items: [{ kind: 'duration', nanoseconds: widthNs, start, end }], start, end },
    start,
    end,
  } as const;
  const by = [...grouping.by, { value: bucket, start, end }];
  const grouped = stages.map((stage, i) => (i === at ? { ...grouping, by } : stage));
  return { query: { ...query, pipeline: { ...query.pipeline, stages: grouped } } };
}
