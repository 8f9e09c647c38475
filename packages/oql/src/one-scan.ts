import { functionNamed } from './functions/index.ts';
import type { ResultColumn, ResultValue } from './result.ts';
import type { Aliased, Expression, ExpressionOf, Path, Query, Stage, StageOf } from './syntax/ast.ts';
import { parse } from './syntax/parse.ts';
import { printExpression, printQuery } from './syntax/print.ts';

/** A query as one of several that differ in literals only. */
export interface Variant {
  /** The same text for queries that differ in these literals only. */
  readonly form: string;
  /** In the order of the query. */
  readonly literals: readonly VariantLiteral[];
}

export interface VariantLiteral {
  readonly printed: string;
  readonly literal: Literal;
}

/** One query for variants of one form, and how to find the rows of each variant in its answer. */
export interface OneScan {
  readonly text: string;
  /** The literals that `text` names as parameters, so that it stays short however many there are. */
  readonly params: Readonly<Record<string, readonly string[]>>;
  /** Columns that hold the value of a field. A variant has the rows with its own value. */
  readonly keys: readonly {
    readonly column: string;
    readonly value: (variant: Variant) => string;
    /** The values of all variants. Any other one was equal to a literal without being the same text. */
    readonly known: ReadonlySet<string>;
  }[];
  /** Columns that hold whether a condition is true. Each variant reads one of a place, and has the rows where it is true. */
  readonly conditions: readonly ((variant: Variant) => string)[];
  /** The columns that the queries themselves do not have. */
  readonly added: ReadonlySet<string>;
  /**
   * A query with the answer of a variant that finds no rows, where that answer has a row: `stats n=count()` without
   * keys. Undefined where it is empty.
   */
  readonly ofNothing: string | undefined;
}

type Literal = ExpressionOf<'string' | 'int' | 'float' | 'duration' | 'bytes'>;
type Comparison = ExpressionOf<'compare'>;
type Grouping = StageOf<'stats' | 'aggregate'>;

/** Where a literal may differ: in which stage, and in which of its conditions. */
interface Place {
  readonly stage: number;
  readonly condition: number;
  readonly comparison: Comparison & { readonly left: Path; readonly right: Literal };
  /** Before the groups it becomes a key of them, after them a column. */
  readonly role: 'key' | 'column';
}

interface Read {
  readonly query: Query;
  readonly grouping: Grouping;
  /** The place of the groups among the stages. */
  readonly at: number;
  readonly places: readonly Place[];
}

const prefix = 'in_one_scan_';
/** Together they stay below the columns that a query may have. */
const mostColumns = 50;
/** Stages that treat each row by itself, or each series of a metric by itself. */
const beforeGroups: ReadonlySet<Stage['kind']> = new Set(['where', 'extend', 'range', 'trend', 'offset', 'promrate']);
const afterGroups: ReadonlySet<Stage['kind']> = new Set(['where', 'extend', 'fields', 'omit']);
/** Labels whose use decides what the values of a metric are. */
const labelsOfBuckets: ReadonlySet<string> = new Set(['le', 'quantile']);
const nowhere = { start: 0, end: 0 } as const;

/**
 * A query that can be answered together with others by one scan: it groups rows, compares fields with literals that may
 * differ, and treats rows, series and groups one by one, so that its answer is a part of the answer of all. Undefined
 * for any other text.
 */
export function variantOf(text: string): Variant | undefined {
  const read = readQuery(text);
  if (read === undefined) return undefined;
  const masked = withConditions(read.query, read.places, ({ comparison }) => ({
    ...comparison,
    right: { ...nowhere, kind: 'param', name: comparison.right.kind },
  }));
  return {
    form: printQuery(masked),
    literals: read.places.map(({ comparison: { right } }) => ({ printed: printExpression(right), literal: right })),
  };
}

/**
 * The query that answers all variants by one scan. Undefined if no such query exists, for example because two literals
 * differ only in case: an id, or a name of an enumeration, equals both.
 * @param text one of the queries; the others have the same form
 */
export function oneScan(text: string, variants: readonly Variant[]): OneScan | undefined {
  const read = readQuery(text);
  if (read === undefined) return undefined;
  const { query, grouping, at, places } = read;
  const { stages } = query.pipeline;
  const varying = places.flatMap((place, i) => {
    const known = new Map(
      variants.flatMap(({ literals }) => literals[i] ?? []).map((one) => [one.printed, one.literal]),
    );
    const literals = [...known]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([printed, literal]) => ({ printed, literal }));
    return literals.length > 1 ? [{ place, i, literals }] : [];
  });
  const keys = varying
    .filter(({ place }) => place.role === 'key')
    .map((one) => ({ ...one, column: `${prefix}${one.i}` }));
  const columns = varying
    .filter(({ place }) => place.role === 'column')
    .flatMap(({ place, i, literals }) =>
      literals.map(({ printed, literal }, n) => ({ place, i, printed, literal, column: `${prefix}${i}_${n}` })),
    );
  const isScalar = grouping.by.length === 0;
  // Of a variant without a row, it is unknown whether its group was dropped, or whether it found nothing.
  if (isScalar && keys.length > 0 && stages.some(({ kind }, i) => i > at && kind === 'where')) return undefined;
  if (columns.length > mostColumns) return undefined;
  if (keys.some(({ literals }) => new Set(literals.map(({ literal }) => letters(literal))).size < literals.length))
    return undefined;

  const widened = withConditions(
    query,
    varying.map(({ place }) => place),
    (place) => {
      const key = keys.find((one) => one.place === place);
      if (key !== undefined) return inList(place, key.column);
      return anyOf(place, varying.find((one) => one.place === place)?.literals ?? []);
    },
  );
  const by: Aliased[] = keys.map(({ column, place }) => ({
    ...nowhere,
    alias: { ...nowhere, text: column },
    value: place.comparison.left,
  }));
  const written = widened.pipeline.stages.flatMap((stage, i): Stage[] => {
    if (i === at) return [{ ...grouping, by: [...grouping.by, ...by] }];
    if (i > at && stage.kind === 'fields') {
      const sofar = [...keys, ...columns.filter(({ place }) => place.stage < i)];
      return [{ ...stage, paths: [...stage.paths, ...sofar.map(({ column }) => pathTo(column))] }];
    }
    // Computed where it is written: a later stage may redefine the field.
    const assignments = columns
      .filter(({ place }) => place.stage === i)
      .map(({ place, literal, column }) => ({
        ...nowhere,
        target: pathTo(column),
        value: { ...place.comparison, right: literal },
      }));
    return assignments.length === 0 ? [stage] : [stage, { ...nowhere, kind: 'extend', assignments, within: [] }];
  });
  const nothing: Stage = { ...nowhere, kind: 'where', predicate: { ...nowhere, kind: 'bool', value: false } };
  return {
    text: withStages(query, written),
    params: Object.fromEntries(
      keys.map(({ column, literals }) => [column, literals.map(({ literal }) => textOf(literal))]),
    ),
    keys: keys.map(({ column, i, literals }) => ({
      column,
      value: (variant) => textOf(variant.literals[i]?.literal),
      known: new Set(literals.map(({ literal }) => textOf(literal))),
    })),
    conditions: varying
      .filter(({ place }) => place.role === 'column')
      .map(
        ({ i }) =>
          (variant: Variant) =>
            columns.find((one) => one.i === i && one.printed === variant.literals[i]?.printed)?.column ?? '',
      ),
    added: new Set([...keys, ...columns].map(({ column }) => column)),
    ofNothing:
      isScalar && keys.length > 0
        ? withStages(query, [...stages.slice(0, at), nothing, ...stages.slice(at)])
        : undefined,
  };
}

/** The rows of each variant in the answer of one scan; undefined where a value is not that of a literal. */
export function splitRows(
  { keys, conditions, added }: OneScan,
  columns: readonly ResultColumn[],
  rows: readonly (readonly ResultValue[])[],
) {
  const at = (column: string) => columns.findIndex(({ name }) => name === column);
  const keyed = keys.map(({ column, known, value }) => ({ at: at(column), known, value }));
  const kept = [...columns.entries()].filter(([, { name }]) => !added.has(name));
  const groups = new Map<string, (readonly ResultValue[])[]>();
  for (const row of rows) {
    const values: string[] = [];
    for (const { at, known } of keyed) {
      const value = row[at];
      if (typeof value !== 'string' || !known.has(value)) return undefined;
      values.push(value);
    }
    const key = JSON.stringify(values);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return {
    columns: kept.map(([, column]) => column),
    rowsOf(variant: Variant): (readonly ResultValue[])[] {
      const holding = conditions.map((columnOf) => at(columnOf(variant)));
      const group = groups.get(JSON.stringify(keyed.map(({ value }) => value(variant)))) ?? [];
      return group
        .filter((row) => holding.every((column) => row[column] === true))
        .map((row) => kept.map(([i]) => row[i] ?? null));
    },
  };
}

function withStages(query: Query, stages: readonly Stage[]): string {
  return printQuery({ ...query, pipeline: { ...query.pipeline, stages } });
}

function inList({ comparison: { left } }: Place, param: string): Expression {
  const items: Expression[] = [{ ...nowhere, kind: 'param', name: param }];
  return { ...nowhere, kind: 'in', value: left, negated: false, set: { kind: 'list', items } };
}

function anyOf({ comparison }: Place, literals: readonly VariantLiteral[]): Expression {
  return { ...nowhere, kind: 'or', operands: literals.map(({ literal }) => ({ ...comparison, right: literal })) };
}

function textOf(literal: Literal | undefined): string {
  return literal?.kind === 'string' ? literal.value : '';
}

/** What is left of a text where case and punctuation do not count. */
function letters(literal: Literal): string {
  return textOf(literal)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

function pathTo(column: string): Path {
  return { ...nowhere, kind: 'path', segments: [column] };
}

function readQuery(text: string): Read | undefined {
  if (text.includes(prefix)) return undefined;
  const { query, findings } = parse(text);
  if (query === undefined || findings.some(({ severity }) => (severity ?? 'error') === 'error')) return undefined;
  const { source, stages } = query.pipeline;
  const isRows = source.kind === 'signal' && ['logs', 'spans', 'events'].includes(source.signal);
  if (query.lets.length > 0 || query.range !== undefined || !(isRows || source.kind === 'metric')) return undefined;
  const at = stages.findIndex(({ kind }) => kind === 'stats' || kind === 'aggregate');
  const grouping = stages[at];
  if (grouping === undefined || (grouping.kind !== 'stats' && grouping.kind !== 'aggregate')) return undefined;
  if (!stages.every((stage, i) => i === at || isOneByOne(stage, i < at ? beforeGroups : afterGroups))) return undefined;
  if (!groupsPlainly(grouping)) return undefined;
  const places = stages.flatMap((stage, i) => (stage.kind === 'where' ? placesOf(query, stage, i, at) : []));
  return places.length === 0 ? undefined : { query, grouping, at, places };
}

function placesOf({ pipeline }: Query, { predicate }: StageOf<'where'>, stage: number, at: number): Place[] {
  return conjuncts(predicate).flatMap((one, condition): Place[] => {
    if (one.kind !== 'compare') return [];
    const { operator, left, right } = one;
    if (left.kind !== 'path' || left.index !== undefined) return [];
    if (stage > at) {
      if (right.kind !== 'int' && right.kind !== 'float' && right.kind !== 'duration' && right.kind !== 'bytes')
        return [];
      return [{ stage, condition, comparison: { ...one, left, right }, role: 'column' }];
    }
    if (operator !== '==' || right.kind !== 'string' || right.value === '') return [];
    if (pipeline.source.kind === 'metric' && labelsOfBuckets.has(left.segments.join('.'))) return [];
    const isSetLater = pipeline.stages.slice(stage, at).some((later) => later.kind === 'extend' && sets(later, left));
    return isSetLater ? [] : [{ stage, condition, comparison: { ...one, left, right }, role: 'key' }];
  });
}

/** Whether a stage computes a field, or a field that it is part of. */
function sets({ assignments }: StageOf<'extend'>, { segments }: Path): boolean {
  return assignments.some(({ target }) =>
    target.segments.slice(0, segments.length).every((segment, i) => segment === segments[i]),
  );
}

function conjuncts(predicate: Expression): readonly Expression[] {
  return predicate.kind === 'and' ? predicate.operands : [predicate];
}

/** The query with other conditions at these places. */
function withConditions(query: Query, places: readonly Place[], conditionAt: (place: Place) => Expression): Query {
  const stages = query.pipeline.stages.map((stage, i): Stage => {
    if (stage.kind !== 'where') return stage;
    const conditions = conjuncts(stage.predicate).map((one, n) => {
      const place = places.find((of) => of.stage === i && of.condition === n);
      return place === undefined ? one : conditionAt(place);
    });
    const [only = stage.predicate] = conditions;
    const predicate: Expression = conditions.length > 1 ? { ...nowhere, kind: 'and', operands: conditions } : only;
    return { ...stage, predicate };
  });
  return { ...query, pipeline: { ...query.pipeline, stages } };
}

function isOneByOne(stage: Stage, kinds: ReadonlySet<Stage['kind']>): boolean {
  if (!kinds.has(stage.kind)) return false;
  if (stage.kind === 'where') return isOf(stage.predicate, 'scalar');
  return stage.kind !== 'extend' || stage.assignments.every(({ value }) => isOf(value, 'scalar'));
}

function groupsPlainly(grouping: Grouping): boolean {
  const values =
    grouping.kind === 'stats' ? grouping.aggregates.map(({ value }) => value) : (grouping.args?.items ?? []);
  return values.every((value) => isOf(value, 'aggregate')) && grouping.by.every(({ value }) => isOf(value, 'scalar'));
}

/** Whether an expression reads one row only, or the rows of one group: no sub-query, no window over others. */
function isOf(expression: Expression, kind: 'scalar' | 'aggregate'): boolean {
  const all = (of: readonly Expression[]) => of.every((one) => isOf(one, kind));
  switch (expression.kind) {
    case 'call': {
      const of = functionNamed(expression.name.text)?.kind;
      return (of === 'scalar' || of === kind) && all(expression.args.items);
    }
    case 'or':
    case 'and':
      return all(expression.operands);
    case 'not':
    case 'negate':
    case 'exists':
      return isOf(expression.operand, kind);
    case 'compare':
      return all([expression.left, expression.right]);
    case 'between':
      return all([expression.value, expression.low, expression.high]);
    case 'in':
      return expression.set.kind === 'list' && all([expression.value, ...expression.set.items]);
    case 'arithmetic':
      return all([expression.first, ...expression.rest.map(({ operand }) => operand)]);
    case 'scalar':
    case 'over':
    case 'param':
      return false;
    default:
      return true;
  }
}
