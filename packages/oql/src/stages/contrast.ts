import type { Context } from '../check/context.ts';
import { checkCondition } from '../check/expression.ts';
import type { Relation } from '../check/relation.ts';
import { rowsOf } from '../check/rows-environment.ts';
import { noteSampled } from '../check/sampled.ts';
import { condition } from '../check/value.ts';
import type { Plan } from '../plan/plan.ts';
import { aggregate, call, column, type Sql, sql, strings } from '../sql/sql.ts';
import type { Expression } from '../syntax/ast.ts';
import type { StageDefinition } from './definition.ts';
import { rowCount } from './limit.ts';

const USUAL_COUNT = 20;
/** Fields of every row that are worth comparing; ids and times differ in every row. */
const COMPARED_FIELDS: Readonly<Record<string, readonly string[]>> = {
  spans: ['service.name', 'name', 'kind', 'status', 'environment', 'scope.name'],
  logs: ['service.name', 'severity', 'environment', 'event_name', 'scope.name'],
};

export const contrast: StageDefinition<'contrast'> = {
  kind: 'contrast',
  syntax: 'contrast (CONDITION) [top COUNT]',
  doc: 'Finds the values of fields and attributes that best separate the rows that match a condition from the rest, by the difference between the shares in which they occur. Fields of the condition itself are left out.',
  examples: [
    'spans | contrast (status == error) top 5',
    'spans | where service.name == "checkout" | contrast (duration > 1s)',
  ],
  check(stage, input, ctx) {
    const predicate = checkCondition(stage.predicate, rowsOf(input, ctx));
    const count = stage.top ? rowCount(stage.top, 'The count of `top`', ctx) : USUAL_COUNT;
    const compared = comparedOf(input, new Set(fieldsOf(stage.predicate)));
    if (!compared) {
      if (!input.unknown)
        ctx.error(
          'NOT_ON_SOURCE',
          stage,
          '`contrast` works on rows of `logs` or `spans`: use it before `stats` and `fields`.',
        );
      return { ...input, unknown: true };
    }
    if (predicate.broken || count === undefined) return { ...input, unknown: true };
    return contrasted(input, condition(predicate), compared, count, ctx);
  },
};

/** The fields that a condition uses, which cannot explain it. */
function fieldsOf(expression: Expression): string[] {
  switch (expression.kind) {
    case 'path':
      return [expression.segments.join('.'), expression.segments.slice(1).join('.')];
    case 'or':
    case 'and':
      return expression.operands.flatMap(fieldsOf);
    case 'not':
    case 'negate':
    case 'exists':
      return fieldsOf(expression.operand);
    case 'compare':
      return [...fieldsOf(expression.left), ...fieldsOf(expression.right)];
    case 'in':
    case 'between':
      return fieldsOf(expression.value);
    case 'call':
      return expression.args.items.flatMap(fieldsOf);
    case 'arithmetic':
      return [...fieldsOf(expression.first), ...expression.rest.flatMap(({ operand }) => fieldsOf(operand))];
    default:
      return [];
  }
}

/** The fields and attributes of a row, as an array of names and one of values, of the same length. */
interface Compared {
  readonly names: Sql;
  readonly values: Sql;
  /** Excluded names: those of the condition. */
  readonly without: Sql;
}

function comparedOf(input: Relation, without: ReadonlySet<string>): Compared | undefined {
  const { rows } = input;
  const names = rows && COMPARED_FIELDS[rows.signal];
  const attributes = rows?.intrinsic('attributes');
  const resource = rows?.intrinsic('resource');
  if (!rows || !names || !attributes || !resource) return undefined;
  const fields = names
    .filter((name) => !without.has(name))
    .flatMap((name) => {
      const value = rows.intrinsic(name);
      return value ? [{ name, value: value.nullable ? sql`ifNull(${value.sql}, '')` : value.sql }] : [];
    });
  const map = (index: number) => sql`${attributes.sql}.${index}`;
  const texts = (index: number) => sql`arrayMap(v -> toString(v), mapValues(${map(index)}))`;
  // An additional field without a name, which every row has, counts the rows on each side.
  const own = {
    names: strings(['', ...fields.map(({ name }) => name)]),
    values: [sql`''`, ...fields.map((f) => f.value)],
  };
  return {
    names: sql`arrayConcat(${own.names}, mapKeys(${map(1)}), mapKeys(${map(2)}), mapKeys(${map(4)}), arrayMap(k -> concat('resource.', k), mapKeys(${resource.sql}.1)))`,
    values: sql`arrayConcat(${call('array', own.values)}, mapValues(${map(1)}), ${texts(2)}, ${texts(4)}, mapValues(${resource.sql}.1))`,
    without: strings([...[...without].flatMap((name) => [name, `resource.${name}`]), 'resource.service.name']),
  };
}

function contrasted(input: Relation, selected: Sql, compared: Compared, count: number, ctx: Context): Relation {
  noteSampled(input, ctx);
  const weight = input.weight ?? sql`1`;
  const [isSelected, weightOf, field, value, inSelection, inRest, selection, rest] = Array.from({ length: 8 }, () =>
    ctx.fresh(),
  );
  const ids = { isSelected, weightOf, field, value, inSelection, inRest, selection, rest };
  const id = (name: keyof typeof ids): number => ids[name] ?? 0;
  const read = (name: keyof typeof ids): Sql => column(id(name));
  const marked: Plan = {
    op: 'extend',
    input: input.plan,
    columns: [
      { id: id('isSelected'), value: selected },
      { id: id('weightOf'), value: weight },
    ],
  };
  const sumIf = (holds: Sql) => aggregate('sumIf', [read('weightOf'), holds]);
  const [name, text] = [ctx.fresh(), ctx.fresh()];
  const laidOut: Plan = {
    op: 'unnest',
    input: marked,
    columns: [
      { id: name, value: compared.names },
      { id: text, value: compared.values },
    ],
  };
  const grouped: Plan = {
    op: 'aggregate',
    input: laidOut,
    keys: [
      { id: id('field'), value: column(name) },
      { id: id('value'), value: column(text) },
    ],
    aggregates: [
      { id: id('inSelection'), value: sumIf(read('isSelected')) },
      { id: id('inRest'), value: sumIf(sql`(NOT ${read('isSelected')})`) },
    ],
  };
  const meant = sql`(${read('field')} = '' OR (${read('value')} != '' AND NOT has(${compared.without}, ${read('field')})))`;
  const kept: Plan = { op: 'filter', input: grouped, predicate: meant };
  const totals: Plan = {
    op: 'window',
    input: kept,
    columns: [
      { id: id('selection'), value: sql`maxIf(${read('inSelection')}, ${read('field')} = '') OVER ()` },
      { id: id('rest'), value: sql`maxIf(${read('inRest')}, ${read('field')} = '') OVER ()` },
    ],
  };
  const real: Plan = { op: 'filter', input: totals, predicate: sql`(${read('field')} != '')` };
  const share = (of: Sql, all: Sql) => sql`if(${all} = 0, 0., ${of} / ${all})`;
  const shareSelected = share(read('inSelection'), read('selection'));
  const shareRest = share(read('inRest'), read('rest'));
  const difference = sql`(${shareSelected} - ${shareRest})`;
  const orders = [
    { value: sql`abs(${difference})`, descending: true },
    { value: read('field'), descending: false },
    { value: read('value'), descending: false },
  ];
  const whole = (of: Sql) => ({ type: 'int' as const, sql: sql`toUInt64(round(${of}))`, nullable: false });
  const float = (of: Sql) => ({ type: 'float' as const, sql: of, nullable: false });
  return {
    plan: { op: 'limit', input: { op: 'sort', input: real, orders }, count, offset: 0 },
    columns: [
      { name: 'field', value: { type: 'string', sql: read('field'), nullable: false } },
      { name: 'value', value: { type: 'string', sql: read('value'), nullable: false } },
      { name: 'selected', value: whole(read('inSelection')) },
      { name: 'rest', value: whole(read('inRest')) },
      { name: 'selected_share', value: float(shareSelected) },
      { name: 'rest_share', value: float(shareRest) },
      { name: 'difference', value: float(difference) },
    ],
    window: input.window,
    sorted: true,
  };
}
