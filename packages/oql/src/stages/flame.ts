import type { Context } from '../check/context.ts';
import type { Column, Relation } from '../check/relation.ts';
import type { Plan } from '../plan/plan.ts';
import { aggregate, column, type Sql, sql } from '../sql/sql.ts';
import type { StageDefinition } from './definition.ts';

export const flame: StageDefinition<'flame'> = {
  kind: 'flame',
  syntax: 'flame [diff DURATION]',
  doc: 'Folds samples of a profile by their stack, root first. With `diff`, adds the value that long ago.',
  examples: ['profiles cpu | where service.name == "checkout" | flame', 'profiles cpu | flame diff 1d'],
  check(stage, input, ctx) {
    const now = folded(input);
    if (!now) {
      if (!input.unknown)
        ctx.error('NOT_ON_SOURCE', stage, '`flame` works on samples: use it after `profiles TYPE` and its `where`.');
      return { ...input, unknown: true };
    }
    const { diff } = stage;
    if (!diff || diff.kind === 'invalid') return grouped(now, undefined, ctx);
    if (diff.kind !== 'duration' || diff.nanoseconds <= 0n) {
      ctx.error('INVALID_VALUE', diff, 'The time to compare with must be a duration, such as `1d`.');
      return { ...input, unknown: true };
    }
    const { fromNs, toNs } = input.window;
    const earlier = ctx.again({ fromNs: fromNs - diff.nanoseconds, toNs: toNs - diff.nanoseconds });
    const before = earlier && folded(earlier);
    return before ? grouped(now, before, ctx) : { ...input, unknown: true };
  },
};

interface Folded {
  readonly relation: Relation;
  readonly frames: Sql;
  readonly value: Sql;
}

function folded(relation: Relation): Folded | undefined {
  const frames = relation.rows?.signal === 'profiles' ? relation.rows.intrinsic('frames') : undefined;
  const value = relation.rows?.intrinsic('value');
  return frames && value ? { relation, frames: frames.sql, value: value.sql } : undefined;
}

function grouped(now: Folded, before: Folded | undefined, ctx: Context): Relation {
  const stack = ctx.fresh();
  const total = ctx.fresh();
  const earlier = ctx.fresh();
  const { relation } = now;
  const columns: Column[] = [
    { name: 'stack', value: { type: 'array', sql: column(stack), nullable: false } },
    { name: 'value', value: { type: 'int', sql: column(total), nullable: false } },
  ];
  const frames = ctx.fresh();
  const value = ctx.fresh();
  const past = ctx.fresh();
  const input: Plan = before
    ? {
        op: 'union',
        inputs: [relation.plan, before.relation.plan],
        columns: [
          { id: frames, values: [now.frames, before.frames] },
          { id: value, values: [now.value, sql`toInt64(0)`] },
          { id: past, values: [sql`toInt64(0)`, before.value] },
        ],
      }
    : {
        op: 'extend',
        input: relation.plan,
        columns: [
          { id: frames, value: now.frames },
          { id: value, value: now.value },
          { id: past, value: sql`toInt64(0)` },
        ],
      };
  if (before) columns.push({ name: 'value_before', value: { type: 'int', sql: column(earlier), nullable: false } });
  const plan: Plan = {
    op: 'aggregate',
    input,
    keys: [{ id: stack, value: column(frames) }],
    aggregates: [
      { id: total, value: aggregate('sum', [column(value)]) },
      { id: earlier, value: aggregate('sum', [column(past)]) },
    ],
  };
  const orders = [
    { value: column(total), descending: true },
    { value: column(stack), descending: false },
  ];
  return { plan: { op: 'sort', input: plan, orders }, columns, window: relation.window, sorted: true, flame: true };
}
