import { commonType } from '../check/compare.ts';
import type { Context } from '../check/context.ts';
import { liftRelation } from '../check/lift.ts';
import type { Relation } from '../check/relation.ts';
import { resolve } from '../check/resolve.ts';
import { rowsOf } from '../check/rows-environment.ts';
import { keep, optional, zeroId } from '../check/store.ts';
import { withArticle } from '../check/types.ts';
import type { Value } from '../check/value.ts';
import type { Definition, Plan } from '../plan/plan.ts';
import { readsAtMost } from '../rules/columns.ts';
import { all, column, int64, type Sql, sql } from '../sql/sql.ts';
import type { Path, StageOf } from '../syntax/ast.ts';
import type { StageDefinition } from './definition.ts';

export const join: StageDefinition<'join'> = {
  kind: 'join',
  syntax: 'join [left|anti] SOURCE on NAME, … [within DURATION] [as NAME]',
  doc: 'Joins rows of another source that have the same values. `left` keeps rows without a match; `anti` keeps only those. `within` is the largest distance in time.',
  examples: [
    'spans | where duration > 100ms | join logs on trace_id within 1m as l | where l.severity >= error | fields time, duration, l.body',
    'spans | where root | join anti (logs | where severity >= error) on trace_id | count',
  ],
  check(stage, input, ctx) {
    const other = ctx.subquery(
      { source: stage.source, stages: [], start: stage.source.start, end: stage.source.end },
      ctx,
    );
    const keys = stage.on.map((path) => keyOf(path, input, other, ctx));
    const pairs = keys.filter((key) => key !== undefined);
    if (pairs.length < keys.length || other.unknown) return { ...input, unknown: true };
    const name = nameOf(stage, other);
    if (input.beside?.has(name)) {
      ctx.error(
        'DUPLICATE_NAME',
        stage.as ?? stage,
        `Joined rows are already called \`${name}\`; choose another name with \`as\`.`,
      );
    }
    const brought: Definition[] = [];
    const bring = (of: Sql): Sql => {
      const id = ctx.fresh();
      brought.push({ id, value: of });
      return column(id);
    };
    const on = pairs.map(({ left, right }) => ({ left, right: bring(right) }));
    const near = nearnessOf(stage, input, other, bring, ctx);
    // An id of zeros means that there is no id: such rows have no partner.
    const present = pairs.flatMap((pair) => (pair.exists ? [pair.exists] : []));
    const [first, ...more] = pairs;
    // Reads only rows with a partner: this uses the key's index, and the engine keeps less of the other side in memory.
    const isCheap = first !== undefined && more.length === 0 && readsAtMost(input.plan, MOST_READ_TWICE);
    const wanted = first && isCheap ? [partnersOf(first.left, first.right, input.plan, ctx)] : [];
    const right: Plan = {
      op: 'extend',
      input: { op: 'filter', input: other.plan, predicate: all([...present, ...wanted]) },
      columns: brought,
    };
    const plan: Plan = {
      op: 'join',
      mode: stage.mode,
      left: input.plan,
      right,
      on,
      ...(near ? { condition: near } : {}),
    };
    if (stage.mode === 'anti') return { ...input, plan, sorted: false };
    const beside = new Map(input.beside);
    beside.set(
      name,
      liftRelation(other, (value) => {
        const kept = stage.mode === 'left' ? optional(keep(value), value) : keep(value);
        const { sent } = value;
        const restored = kept.restore(bring(kept.sql));
        // Beside the text, so that conditions on the text use its index.
        return sent
          ? { ...restored, sent: () => bring(stage.mode === 'left' ? sql`toNullable(${sent()})` : sent()) }
          : restored;
      }),
    );
    return { ...input, plan, beside, sorted: false };
  },
};

/**
 * Most tables of the left that are read again to find its keys. Each join would double them: with thirty joins, neither
 * the query nor the statement would end.
 */
const MOST_READ_TWICE = 8;

interface KeyPair {
  readonly left: Sql;
  readonly right: Sql;
  /** Whether the other row has the key. */
  readonly exists?: Sql;
}

function keyOf(path: Path, input: Relation, other: Relation, ctx: Context): KeyPair | undefined {
  const mine = resolve(path, rowsOf(input, ctx));
  const theirs = resolve(path, rowsOf(other, ctx));
  if (mine.broken || theirs.broken) return undefined;
  if (mine.id && theirs.id && mine.id.bytes === theirs.id.bytes) {
    const exists = theirs.nullable ? sql`(${theirs.id.sql} != ${zeroId(theirs.id.bytes)})` : undefined;
    return { left: mine.id.sql, right: theirs.id.sql, ...(exists ? { exists } : {}) };
  }
  const pair = commonType(mine, theirs);
  if (pair) return { left: plain(pair[0]), right: plain(pair[1]) };
  const types = `${withArticle(mine.type)} here and ${withArticle(theirs.type)} there`;
  ctx.error('TYPE_MISMATCH', path, `\`${path.segments.join('.')}\` is ${types}: they cannot be joined.`);
  return undefined;
}

/** The engine has different column types for the attributes of both sides; as nullable text or numbers, they have the same type. */
function plain(value: Value): Sql {
  return value.type === 'string' && !value.nullable ? sql`toString(${value.sql})` : value.sql;
}

function nameOf(stage: StageOf<'join'>, other: Relation): string {
  if (stage.as) return stage.as.text;
  const { source } = stage;
  return source.kind === 'signal'
    ? source.signal
    : source.kind === 'named'
      ? source.name.text
      : (other.rows?.signal ?? 'joined');
}

function nearnessOf(
  stage: StageOf<'join'>,
  input: Relation,
  other: Relation,
  bring: (of: Sql) => Sql,
  ctx: Context,
): Sql | undefined {
  const { within } = stage;
  if (!within || within.kind === 'invalid') return undefined;
  if (within.kind !== 'duration') {
    ctx.error('INVALID_VALUE', within, 'A distance in time must be a duration, such as `1m`.');
    return undefined;
  }
  if (!input.time || !other.time) {
    ctx.error('NOT_ON_SOURCE', within, '`within` needs a time on both sides.');
    return undefined;
  }
  const nanoseconds = (time: Sql) => sql`toUnixTimestamp64Nano(toDateTime64(${time}, 9, 'UTC'))`;
  return sql`(abs(${nanoseconds(input.time.sql)} - ${bring(nanoseconds(other.time.sql))}) <= ${int64(within.nanoseconds)})`;
}

function partnersOf(left: Sql, right: Sql, plan: Plan, ctx: Context): Sql {
  const id = ctx.fresh();
  const keys: Plan = { op: 'extend', input: plan, columns: [{ id, value: left }] };
  return sql`(${right} IN ${{ kind: 'query', plan: keys, columns: [id] }})`;
}
