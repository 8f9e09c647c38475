import { canonical } from '../check/canonical.ts';
import type { Context } from '../check/context.ts';
import { expected, ofPair } from '../check/integers.ts';
import { type Column, findColumn, type Relation } from '../check/relation.ts';
import { tagged, taggedValue } from '../check/tagged.ts';
import { isNumber, type OqlType, withArticle } from '../check/types.ts';
import type { Value } from '../check/value.ts';
import { replaceWith } from '../diagnostics/diagnostic.ts';
import type { UnionColumn } from '../plan/plan.ts';
import { column, NULL, type Sql, sql } from '../sql/sql.ts';
import type { Range, StageOf } from '../syntax/ast.ts';
import { printSource } from '../syntax/print.ts';
import type { StageDefinition } from './definition.ts';

export const union: StageDefinition<'union'> = {
  kind: 'union',
  syntax: 'union SOURCE, …',
  doc: 'Adds the rows of other sources, all in the time range of the query. Columns match by name and must have one type; a column that a source lacks is null. Each source must end with `fields` or `stats`, so that its columns are known.',
  examples: [
    'logs | where severity >= error | extend what = body | fields time, service.name, what | union (spans | where status == error | extend what = name | fields time, service.name, what) | sort -time | limit 50',
    'logs | stats n=count() by service.name | extend of = "logs" | union (spans | stats n=count() by service.name | extend of = "spans") | stats n=sum(n) by of',
  ],
  check(stage, input, ctx) {
    const others = stage.sources.map((source) => {
      const { start, end } = source;
      const text = source.kind === 'pipeline' ? undefined : printSource(source);
      return { at: source, text, relation: ctx.subquery({ source, stages: [], start, end }, ctx) };
    });
    const parts: readonly Part[] = [{ at: stage, relation: input }, ...others];
    if (parts.some(({ relation }) => relation.unknown)) return { ...input, unknown: true };
    for (const { at, text, relation } of parts) {
      if (!relation.rows) continue;
      const message = `These are whole rows of \`${relation.rows.signal}\`: end each source of a \`union\` with \`| fields …\` or \`| stats …\`.`;
      const isBare = at !== stage && text !== undefined;
      const repair = isBare ? replaceWith(at, `(${text} | fields time, service.name)`) : undefined;
      ctx.error('NOT_AVAILABLE', at, message, repair);
      return { ...input, unknown: true };
    }
    return together(stage, parts, ctx);
  },
};

interface Part {
  readonly at: Range;
  /** The source as written, if it has no brackets. */
  readonly text?: string | undefined;
  readonly relation: Relation;
}

function together(stage: StageOf<'union'>, parts: readonly Part[], ctx: Context): Relation {
  const relations = parts.map(({ relation }) => relation);
  const names = [...new Set(relations.flatMap(({ columns }) => columns.map(({ name }) => name)))];
  const made: UnionColumn[] = [];
  const columns = names.flatMap((name): Column[] => {
    const values = relations.map((relation) => findColumn(relation, name)?.value);
    const type = typeOf(values.filter((value) => value !== undefined));
    if (type === undefined) {
      const types = [...new Set(values.flatMap((value) => (value ? [withArticle(value.type)] : [])))].join(' and ');
      const message = `\`${name}\` is ${types}: a column of a \`union\` has one type. Convert one, as in \`extend ${name} = string(${name})\`, or leave it out.`;
      ctx.error('TYPE_MISMATCH', stage, message);
      return [];
    }
    const id = ctx.fresh();
    const read = column(id);
    if (type === 'string' && values.some((value) => value?.sent !== undefined)) {
      made.push({
        id,
        values: values.map((value) => canonical(type, value ? (value.sent?.() ?? tagged(value)) : NULL) ?? NULL),
      });
      return [{ name, value: { type, sql: sql`substring(${read}, 2)`, nullable: true, sent: () => read } }];
    }
    const plain = values.map((value) => canonical(type, storedAs(type, value)) ?? NULL);
    if (type === 'float' && values.some((value) => value && expected(value))) {
      const integers = values.map((value) => (value && expected(value)?.sql) ?? sql`toInt64(0)`);
      made.push({ id, values: plain.map((value, at) => sql`tuple(${value}, ${integers[at] ?? NULL})`) });
      return [{ name, value: { type, nullable: true, ...ofPair(read) } }];
    }
    made.push({ id, values: plain });
    return [{ name, value: type === 'any' ? taggedValue(read) : { type, sql: read, nullable: true } }];
  });
  const weight = ctx.fresh();
  const isWeighted = relations.some((relation) => relation.weight !== undefined);
  if (isWeighted) made.push({ id: weight, values: relations.map((one) => sql`toFloat64(${one.weight ?? sql`1`})`) });
  const time = columns.find(({ name, value }) => name === 'time' && value.type === 'timestamp')?.value;
  return {
    plan: { op: 'union', inputs: relations.map(({ plan }) => plan), columns: made },
    columns,
    window: ctx.window,
    sorted: false,
    ...(time ? { time } : {}),
    ...(isWeighted ? { weight: column(weight) } : {}),
    ...weighsTogether(relations),
    ...(columns.length < names.length ? { unknown: true } : {}),
  };
}

/** Of sampled rows beside evaluations that were reported together, a share would tell nothing. */
function weighsTogether(relations: readonly Relation[]): Pick<Relation, 'weighs'> {
  const all = relations.map(({ weighs }) => weighs);
  const weighs = all.includes('evaluations') ? 'evaluations' : all.find((one) => one !== undefined);
  return weighs ? { weighs } : {};
}

function storedAs(type: OqlType, value: Value | undefined): Sql {
  if (value === undefined) return NULL;
  return type === 'any' ? tagged(value) : value.sql;
}

/** The common type of the values of one column; undefined if there is none. */
function typeOf(values: readonly Value[]): OqlType | undefined {
  const types = new Set(values.map(({ type }) => type).filter((type) => type !== 'null'));
  const [first = 'string', ...more] = types;
  if (first === 'map' || first === 'array') return undefined;
  if (more.length === 0) return first;
  if ([first, ...more].every(isNumber)) return 'float';
  return [first, ...more].every((type) => type === 'any' || type === 'string') ? 'any' : undefined;
}
