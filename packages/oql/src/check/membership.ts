import { MISSING } from '../schema/attributes.ts';
import { FALSE, float64s, int64s, type Sql, some, sql, strings } from '../sql/sql.ts';
import type { Expression, ExpressionOf, Pipeline } from '../syntax/ast.ts';
import { compare, rawBytes, reportMember, truth } from './compare.ts';
import type { Environment } from './environment.ts';
import { refuseHistogram } from './histogram-value.ts';
import { outputColumns } from './output.ts';
import { parameterValues } from './parameters.ts';
import { store } from './store.ts';
import { tagged } from './tagged.ts';
import { withArticle } from './types.ts';
import { BROKEN, type Constant, constant, type Operand, readAs, type Value } from './value.ts';
import { isBeyondFloats } from './whole.ts';

/** `value in (…)`: a list of values, or a pipeline with one column. */
export function checkIn(expression: ExpressionOf<'in'>, env: Environment): Value {
  const value = env.check(expression.value, env);
  if (refuseHistogram(value, expression.value, env.ctx)) return BROKEN;
  const query = subqueryOf(expression, env);
  const found = query ? inQuery(value, query, expression, env) : inList(value, expression, env);
  if (found.broken || !expression.negated) return found;
  return { ...found, sql: sql`(NOT ${found.sql})` };
}

/** `in (errors)`: the parser reads a single name as a list item; if `let errors` exists, it is that pipeline. */
function subqueryOf({ set }: ExpressionOf<'in'>, env: Environment): Pipeline | undefined {
  if (set.kind === 'query') return set.pipeline;
  const [item] = set.items;
  if (set.items.length !== 1 || item?.kind !== 'path' || item.segments.length !== 1) return undefined;
  const [name = ''] = item.segments;
  if (!env.ctx.lets.has(name)) return undefined;
  const range = { start: item.start, end: item.end };
  return { source: { kind: 'named', name: { text: name, ...range }, ...range }, stages: [], ...range };
}

interface Item {
  readonly value: Value;
  readonly at: Expression;
}

function inList(value: Value, expression: ExpressionOf<'in'>, env: Environment): Value {
  if (expression.set.kind !== 'list') return BROKEN;
  const members: Sql[] = [];
  const items: Item[] = [];
  for (const written of expression.set.items) {
    for (const item of itemsOf(value, written, env)) {
      const member = memberOf(value, item, env);
      if (member === 'broken') return BROKEN;
      if (member) members.push(member);
      else items.push(item);
    }
  }
  if (value.broken || items.some((item) => item.value.broken)) return BROKEN;
  const rest = constantsIn(value, items) ?? oneByOne({ value, at: expression.value }, items, env);
  return rest.broken
    ? BROKEN
    : truth(some(members.length > 0 && rest.sql === FALSE ? members : [...members, rest.sql]), value, rest);
}

/** The bare name of a member is no field. */
function itemsOf(value: Value, item: Expression, env: Environment): readonly Item[] {
  if (value.enumeration && item.kind === 'path' && item.segments.length === 1) return [{ value: BROKEN, at: item }];
  if (item.kind !== 'param') return [{ value: env.check(item, env), at: item }];
  const given = parameterValues(item, env.ctx);
  return given ? given.map((one) => ({ value: constant(one), at: item })) : [{ value: BROKEN, at: item }];
}

/** For a field with named values, an item is one of its members. */
function memberOf({ enumeration }: Value, { value, at }: Item, env: Environment): Sql | 'broken' | undefined {
  if (!enumeration) return undefined;
  const isName = at.kind === 'path' && at.segments.length === 1;
  const written = isName ? at.segments[0] : value.constant?.type === 'string' ? value.constant.value : undefined;
  if (written === undefined) return undefined;
  const { of, code } = enumeration;
  const member = of.member(written);
  if (member !== undefined) return of.compare('==', code, member);
  reportMember(of, written, at, env.ctx, isName ? 'error' : 'warning');
  return isName ? 'broken' : FALSE;
}

/** Combines constants of one type in one array: ClickHouse turns it into a set, which its indexes can use. */
function constantsIn(value: Value, items: readonly Item[]): Value | undefined {
  if (items.length === 0) return truth(FALSE);
  const constants = items.map((item) => item.value.constant);
  if (!constants.every((one): one is Constant => one !== undefined)) return undefined;
  if (value.id) {
    const bytes = items.map((item) => rawBytes(value, item.value));
    const known = bytes.filter((one): one is Sql => one !== undefined);
    return known.length === bytes.length
      ? truth(some(known.map((one) => sql`(${value.id?.sql ?? value.sql} = ${one})`)), value)
      : undefined;
  }
  const texts = constants.flatMap((one) => (one.type === 'string' ? [one.value] : []));
  if (texts.length === constants.length) return among(value, 'string', strings(texts), texts.includes(''));
  const ints = constants.flatMap((one) => (one.type === 'int' ? [one.value] : []));
  if (ints.length === constants.length && value.type === 'int')
    return among(value, 'int', int64s(ints), ints.includes(0n));
  const numbers = constants.flatMap((one) => (one.type === 'int' || one.type === 'float' ? [Number(one.value)] : []));
  const isExact = !ints.some(isBeyondFloats) || (value.type === 'float' && typeof value.integer !== 'object');
  if (numbers.length === constants.length && isExact && (value.type === 'float' || value.type === 'any')) {
    return among(value, 'float', float64s(numbers), numbers.includes(0));
  }
  return undefined;
}

function among(value: Value, type: 'string' | 'int' | 'float', set: Sql, hasEmpty: boolean): Value | undefined {
  if (value.dynamic && !hasEmpty) return truth(sql`(${value.dynamic.read(type, MISSING[type])} IN ${set})`, value);
  const read = readAs(value, type);
  if (!read) return undefined;
  return truth(read.nullable ? sql`ifNull((${read.sql} IN ${set}), false)` : sql`(${read.sql} IN ${set})`, value);
}

function oneByOne(value: Operand, items: readonly Item[], env: Environment): Value {
  const equalities = items.map((item) => compare('==', value, item, item.at, env.ctx));
  if (equalities.some((one) => one.broken)) return BROKEN;
  return truth(some(equalities.map((one) => one.sql)), value.value, ...equalities);
}

function inQuery(value: Value, pipeline: Pipeline, expression: ExpressionOf<'in'>, env: Environment): Value {
  const relation = env.subquery(pipeline, env.ctx);
  if (relation.unknown || value.broken) return BROKEN;
  const columns = outputColumns(relation);
  const [only] = columns;
  if (columns.length !== 1 || only === undefined || relation.rows) {
    const names = relation.rows ? 'whole rows' : `${columns.length} columns`;
    env.ctx.error(
      'TYPE_MISMATCH',
      pipeline,
      `A sub-query of \`in\` must return one column; this one returns ${names}. End it with \`| fields NAME\`.`,
    );
    return BROKEN;
  }
  const pair = inTypes(value, only.value);
  if (!pair) {
    const types = `${withArticle(value.type)} in a query of ${withArticle(only.value.type)}`;
    env.ctx.error('TYPE_MISMATCH', expression, `You cannot look for ${types}.`);
    return BROKEN;
  }
  const [sought, offered] = pair;
  const { definition } = store(offered, env.ctx.fresh);
  const plan = { op: 'extend' as const, input: relation.plan, columns: [definition] };
  const condition = sql`(${sought.sql} IN ${{ kind: 'query', plan, columns: [definition.id] }})`;
  return truth(sought.nullable ? sql`ifNull(${condition}, false)` : condition, value);
}

/** The value and the column of the sub-query in a common type; ids as bytes, so that their index is used. */
function inTypes(value: Value, column: Value): readonly [Value, Value] | undefined {
  if (value.id && column.id?.bytes === value.id.bytes) {
    return [{ type: 'string', sql: value.id.sql, nullable: false }, column];
  }
  const plain = (of: Value): Value => ({ type: of.type, sql: of.sql, nullable: of.nullable });
  if (value.type === 'any' && column.type === 'any') {
    return [plain({ ...value, sql: tagged(value) }), plain({ ...column, sql: tagged(column) })];
  }
  const wanted = value.type === 'any' ? column.type : value.type;
  if (wanted === 'string' || wanted === 'int' || wanted === 'float' || wanted === 'bool') {
    const type = wanted === 'int' ? 'float' : wanted;
    const sought = value.type === 'int' ? value : readAs(value, type);
    const offered = column.type === 'int' ? column : readAs(column, type);
    return sought && offered && [plain(sought), plain(offered)];
  }
  return value.type === column.type ? [plain(value), plain(column)] : undefined;
}
