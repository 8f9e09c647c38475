import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Context } from '../check/context.ts';
import { checkPipeline } from '../check/pipeline.ts';
import type { Relation } from '../check/relation.ts';
import type { Plan } from '../plan/plan.ts';
import { print } from '../print/print.ts';
import { decodeRow } from '../result.ts';
import { LOGS } from '../schema/logs.ts';
import { signalRelation } from '../schema/rows.ts';
import { column, sql, text } from '../sql/sql.ts';
import { extend } from '../stages/extend.ts';
import { group } from '../stages/stats.ts';
import { parse } from '../syntax/parse.ts';
import { type Engine, startEngine } from '../testing/engine.ts';
import { NOW, SCOPE, WINDOW } from '../testing/fixture.ts';
import { AGGREGATES, SCALARS, WINDOWS } from './index.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

function close(actual: unknown, expected: unknown): void {
  if (typeof expected === 'number') expect(actual).toBeCloseTo(expected, 9);
  else expect(actual).toEqual(expected);
}

describe.each(SCALARS)('$name', (definition) => {
  test('has an example', () => expect(definition.examples.length).toBeGreaterThan(0));

  test.each(definition.examples)('%s', async (expression, result) => {
    const { rows } = await engine.ask(`logs | limit 1 | extend result = ${expression} | fields result`);
    close(rows[0]?.[0], result);
  });
});

function printed(...args: Parameters<typeof print>) {
  const statement = print(...args);
  if (!statement) throw new Error('the example is too large');
  return statement;
}

/** A relation with one column `x` of these values. */
function valuesOf(values: readonly unknown[], ctx: Context): Relation {
  const [first] = values.filter((value) => value !== null);
  const isText = typeof first === 'string';
  const whole = values.every((value) => value === null || Number.isInteger(value));
  const json = text(JSON.stringify(values));
  const array = isText
    ? sql`JSONExtract(${json}, 'Array(Nullable(String))')`
    : whole
      ? sql`JSONExtract(${json}, 'Array(Nullable(Int64))')`
      : sql`JSONExtract(${json}, 'Array(Nullable(Float64))')`;
  const x = ctx.fresh();
  const { plan } = signalRelation(LOGS, WINDOW, ctx);
  const unnested: Plan = {
    op: 'unnest',
    input: { op: 'limit', input: plan, count: 1, offset: 0 },
    columns: [{ id: x, value: array }],
  };
  const type = isText ? 'string' : whole ? 'int' : 'float';
  return {
    plan: unnested,
    columns: [{ name: 'x', value: { type, sql: column(x), nullable: true } }],
    window: WINDOW,
    sorted: false,
  };
}

describe.each(AGGREGATES)('$name', (definition) => {
  // Functions of gaps between spans are covered by the golden queries.
  test('has an example', () =>
    expect(definition.examples.length).toBeGreaterThanOrEqual(definition.name === 'gap' ? 0 : 1));

  test.each(definition.examples)('%s of %j', async (expression, values, result) => {
    const ctx = new Context({ window: WINDOW, nowNs: NOW, subquery: checkPipeline });
    const stage = parse(`logs | stats result=${expression}`).query?.pipeline.stages[0];
    if (stage?.kind !== 'stats') throw new Error('the example does not parse');
    const relation = group(stage.aggregates, [], valuesOf(values, ctx), ctx);
    expect(ctx.findings).toEqual([]);
    const [only] = relation.columns;
    if (!only) throw new Error('no column');
    const statement = printed(relation.plan, [{ name: 'r1', value: only.value.sql }], SCOPE);
    const params = Object.fromEntries(Object.entries(statement.params).map(([name, { value }]) => [name, value]));
    const rows = await engine.select(statement.sql, params);
    const { type: decoded, elements } = only.value;
    const resultColumn = { name: 'result', type: decoded, ...(elements ? { elements } : {}) };
    close(decodeRow([resultColumn], rows[0] ?? [])[0], result);
  });
});

describe.each(WINDOWS)('$name', (definition) => {
  test('has an example', () => expect(definition.examples.length).toBeGreaterThan(0));

  test.each(definition.examples)('%s of %j in consecutive buckets', async (expression, values, results) => {
    const ctx = new Context({ window: WINDOW, nowNs: NOW, subquery: checkPipeline });
    const stage = parse(`logs | extend result=${expression}`).query?.pipeline.stages[0];
    if (stage?.kind !== 'extend') throw new Error('the example does not parse');
    const relation = extend.check(stage, inBuckets(valuesOf(values, ctx), ctx), ctx);
    expect(ctx.findings).toEqual([]);
    const [time, result] = [relation.columns[0], relation.columns.at(-1)];
    if (!time || !result) throw new Error('no column');
    const sorted: Plan = { op: 'sort', input: relation.plan, orders: [{ value: time.value.sql, descending: false }] };
    const statement = printed(sorted, [{ name: 'r1', value: result.value.sql }], SCOPE);
    const params = Object.fromEntries(Object.entries(statement.params).map(([name, { value }]) => [name, value]));
    const rows = await engine.select(statement.sql, params);
    rows.forEach((row, i) => {
      close(decodeRow([{ name: 'result', type: result.value.type }], row)[0], results[i]);
    });
    expect(rows).toHaveLength(results.length);
  });
});

/** The same values, each in the minute after the one before. */
function inBuckets(relation: Relation, ctx: Context): Relation {
  const at = ctx.fresh();
  const numbered: Plan = {
    op: 'window',
    input: relation.plan,
    columns: [{ id: at, value: sql`toDateTime(60 * row_number() OVER (), 'UTC')` }],
  };
  const time = { type: 'timestamp' as const, sql: column(at), nullable: false };
  return {
    ...relation,
    plan: numbered,
    columns: [{ name: 'time', value: time }, ...relation.columns],
    keys: ['time'],
    bucket: { column: 'time', widthNs: 60_000_000_000n },
    time,
  };
}

test('keeps an integer above 2^53 exact', async () => {
  const { rows } = await engine.ask('logs | limit 1 | extend n = 9007199254740993 | fields n');
  expect(rows).toEqual([['9007199254740993']]);
});
