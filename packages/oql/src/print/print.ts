import { checkedApart } from '../check/whole.ts';
import { assumed } from '../metrics/assumption.ts';
import type { Fill, Join, KnownKinds, Order, Plan, Table, Window } from '../plan/plan.ts';
import { type ColumnId, type ParameterType, type ParameterValue, type Sql, some, sql, text } from '../sql/sql.ts';
import { LIMITS } from '../syntax/guard.ts';
import { type Block, type BlockSource, toBlock } from './block.ts';
import { changesFrom } from './changes.ts';
import { newestFirst, notOlder } from './newest-first.ts';
import { columnText, isInFiveMinutes, shiftedWindow, windowOf } from './scan.ts';

/** The tenant whose data a query may read. The control plane assigns the numbers and never reuses them. */
export interface Scope {
  readonly workspace: number;
  readonly project?: number;
  readonly environment?: string;
}

export interface BoundParameter {
  readonly type: ParameterType;
  readonly value: ParameterValue;
}

export interface Statement {
  readonly sql: string;
  readonly params: Readonly<Record<string, BoundParameter>>;
  /** The time range that covers all its scans. */
  readonly reach: Window;
  /** Present if it reads changes: the parameter that gets their rows as a JSON array of `ChangeRow`, and the time range of these. */
  readonly changes?: ChangesRead;
  /** The tables that it reads, in alphabetical order. */
  readonly tables: readonly Table[];
  /** It fails where a series is of another kind than its metric was known to have. */
  readonly checksKinds: boolean;
  /** Whether an aggregate reads a value that is checked, of which a condition may exclude some. */
  readonly aggregatesChecks: boolean;
  /** Whether it reads the buckets of exponential histograms: a point may have hundreds. */
  readonly readsExponential: boolean;
}

export interface ChangesRead {
  readonly parameter: string;
  readonly reach: Window;
}

/** A column of a statement's output. */
export interface Output {
  /** Its name in the statement, chosen by this package: never a user's name. */
  readonly name: string;
  readonly value: Sql;
}

/**
 * One ClickHouse statement that returns `columns`, in this order.
 * Undefined if it would be larger than the store accepts.
 * @param prefix the prefix of its parameters' names
 */
export function print(plan: Plan, columns: readonly Output[], scope: Scope, prefix = 'p'): Statement | undefined {
  const printer = new Printer(scope, prefix);
  let written: string;
  try {
    written = printer.root(toBlock(plan), columns);
  } catch (error) {
    if (error instanceof StatementTooLarge) return undefined;
    throw error;
  }
  const {
    params,
    changes,
    checksKinds,
    aggregatesChecks,
    readsExponential,
    reach = { fromNs: 0n, toNs: 0n },
  } = printer;
  return {
    sql: written,
    params,
    ...(changes && { changes }),
    reach,
    tables: [...printer.tables].sort(),
    checksKinds,
    aggregatesChecks,
    readsExponential,
  };
}

class StatementTooLarge extends Error {}

/** Holds the parameters and the scope of one statement. */
class Printer {
  readonly params: Record<string, BoundParameter> = {};
  reach: Window | undefined;
  changes: ChangesRead | undefined;
  readonly tables = new Set<Table>();
  aggregatesChecks = false;
  readsExponential = false;
  /** Of the scans of points, and those that scans of series were checked for. */
  readonly #kinds = { used: new Set<KnownKinds | undefined>(), checked: new Set<KnownKinds | undefined>() };
  readonly #names = new Map<string, string>();
  readonly #scope: Scope;
  readonly #prefix: string;
  #written = 0;
  #aggregates = 0;

  constructor(scope: Scope, prefix: string) {
    this.#scope = scope;
    this.#prefix = prefix;
  }

  get checksKinds(): boolean {
    const { used, checked } = this.#kinds;
    return [...used].every((kinds) => checked.has(kinds));
  }

  root(block: Block, columns: readonly Output[]): string {
    return this.#select(block, (emit) => columns.map(({ name, value }) => `${emit(value)} AS ${name}`));
  }

  #bind(type: ParameterType, value: ParameterValue): string {
    const key = `${type} ${JSON.stringify(value)}`;
    let name = this.#names.get(key);
    if (name === undefined) {
      name = `${this.#prefix}${this.#names.size + 1}`;
      this.#names.set(key, name);
      this.params[name] = { type, value };
    }
    return `{${name}:${type}}`;
  }

  /** A block as the input of another one: its exported columns, complete by now, under their aliases. */
  #nested(block: Block): string {
    return this.#select(block, (emit, declare) => {
      const exported = [...block.exports].map((id) => declare(id) ?? aliased(emit({ kind: 'column', id }), id));
      return exported.length > 0 ? exported : ['1'];
    });
  }

  #select(
    block: Block,
    output: (emit: (expression: Sql) => string, declare: (id: ColumnId) => string | undefined) => readonly string[],
  ): string {
    const declared = new Map<ColumnId, string>();
    const inOutput = new Set<ColumnId>();
    const emit = (expression: Sql): string => this.#emit(expression, (id) => reference(id));
    const reference = (id: ColumnId): string => {
      const definition = block.definitions.get(id);
      if (definition === undefined) return this.#fromSource(block, id);
      if (!declared.has(id)) declared.set(id, emit(definition));
      return `c${id}`;
    };
    const declare = (id: ColumnId): string | undefined => {
      if (!block.definitions.has(id)) return undefined;
      reference(id);
      inOutput.add(id);
      return `${declared.get(id)} AS c${id}`;
    };

    const columns = output(emit, declare);
    const [first, ...later] = block.where;
    const where = [...this.#scopeOf(block.source), ...(first ? [first] : [])].map(emit);
    where.push(...later.map((one) => this.#emit(one, (id) => this.#lateReference(block, id, reference))));
    const newest = newestFirst(block);
    if (newest) where.push(notOlder(newest, where));
    const keys = block.grouped?.keys.map(({ id }) => reference(id)) ?? [];
    const having = [...block.having, ...this.#kindsOf(block)].map(emit);
    const finer = block.grouped?.finer;
    if (finer?.of.some((id) => declared.has(id))) keys.push(...finer.keys.map(({ id }) => reference(id)));
    // Where nothing reads an aggregate, the rows of a single group would stay apart. The engine removes simpler conditions.
    const isOneGroup = block.grouped !== undefined && keys.length === 0;
    if (isOneGroup && !block.grouped?.aggregates.some((id) => declared.has(id)))
      having.push('count() != 18446744073709551615');
    const order = this.#order(block, emit);
    const fill = block.fill ? this.#fill(block.fill, emit) : undefined;
    const distinct = block.distinct && { ...block.distinct, by: block.distinct.by.map(emit) };
    const unnest = block.unnest.map(({ id, value }) => `${emit(value)} AS c${id}`);
    const from = this.#from(block.source, emit);

    const withs = [...declared].filter(([id]) => !inOutput.has(id)).map(([id, text]) => `${text} AS c${id}`);
    const parts = [
      withs.length > 0 ? `WITH ${withs.join(', ')} ` : '',
      `SELECT ${columns.join(', ')} FROM ${from}`,
      unnest.length > 0 ? ` ARRAY JOIN ${unnest.join(', ')}` : '',
      where.length > 0 ? ` WHERE ${where.join(' AND ')}` : '',
      keys.length > 0 ? ` GROUP BY ${keys.join(', ')}` : '',
      having.length > 0 ? ` HAVING ${having.join(' AND ')}` : '',
      fill !== undefined ? fill : order.length > 0 ? ` ORDER BY ${order.join(', ')}` : '',
      distinct ? ` LIMIT ${distinct.count} BY ${distinct.by.join(', ')}` : '',
      block.limit ? ` LIMIT ${block.limit.count}${block.limit.offset > 0 ? ` OFFSET ${block.limit.offset}` : ''}` : '',
    ];
    return parts.join('');
  }

  /**
   * A column in a condition after others. The engine computes what stands both in a condition and in the output before any
   * condition, and a check of whole numbers would fail for rows that an earlier condition removes. So the condition gets an
   * expression of its own, which is computed only for the rows that are left.
   */
  #lateReference(block: Block, id: ColumnId, reference: (id: ColumnId) => string): string {
    const definition = block.definitions.get(id);
    const apart = definition && checkedApart(definition);
    return apart ? this.#emit(apart, (inner) => this.#lateReference(block, inner, reference)) : reference(id);
  }

  /**
   * ClickHouse finds the first rows of a table by time without reading all of them if the order begins like the table's
   * order key: with five-minute intervals. This does not change an order by time.
   */
  #order({ order, source, limit, grouped, unnest }: Block, emit: (expression: Sql) => string): string[] {
    const written = ({ value, descending }: Order) => `${emit(value)}${descending ? ' DESC' : ''}`;
    const [first] = order;
    const isFirstByTime = first !== undefined && limit !== undefined && !grouped && unnest.length === 0;
    if (!isFirstByTime || !isTime(first.value, source)) return order.map(written);
    return [written({ ...first, value: sql`toStartOfFiveMinutes(${first.value})` }), ...order.map(written)];
  }

  #emit(expression: Sql, reference: (id: ColumnId) => string): string {
    const list = (args: readonly Sql[]) => args.map((arg) => this.#emit(arg, reference)).join(', ');
    switch (expression.kind) {
      case 'column':
        return reference(expression.id);
      case 'parameter':
        return this.#bind(expression.type, expression.value);
      case 'aggregate': {
        const parameters = expression.parameters.length > 0 ? `(${expression.parameters.join(', ')})` : '';
        this.#aggregates++;
        const args = list(expression.args);
        this.#aggregates--;
        return `${expression.fn}${parameters}(${args})`;
      }
      case 'query': {
        const block = toBlock(expression.plan);
        for (const id of expression.columns) block.exports.add(id);
        return `(${this.#nested(block)})`;
      }
      case 'text': {
        this.#count(expression.parts);
        if (expression.isCheck && this.#aggregates > 0) this.aggregatesChecks = true;
        let text = expression.parts[0] ?? '';
        expression.args.forEach((arg, i) => {
          text += this.#emit(arg, reference) + (expression.parts[i + 1] ?? '');
        });
        return text;
      }
    }
  }

  /** Stops as soon as the parts alone are too large: the full statement may be far larger. */
  #count(parts: readonly string[]): void {
    for (const part of parts) this.#written += part.length;
    if (this.#written > LIMITS.statement) throw new StatementTooLarge();
  }

  #fromSource(block: Block, id: ColumnId): string {
    if (block.unnest.some((column) => column.id === id)) return `c${id}`;
    const { source } = block;
    if (source.kind === 'table') {
      for (const [name, known] of source.scan.columns) if (known === id) return columnText(name, source.scan);
      throw new Error(`column ${id} is not in the scan of ${source.scan.table}`);
    }
    if (source.kind === 'block') source.block.exports.add(id);
    else if (source.kind === 'join') (provides(source.left, id) ? source.left : source.right).exports.add(id);
    else for (const input of source.blocks) input.exports.add(id);
    return `c${id}`;
  }

  #from(source: BlockSource, emit: (expression: Sql) => string): string {
    switch (source.kind) {
      case 'table':
        return source.scan.table === 'changes' ? this.#fromChanges(source.scan.window) : source.scan.table;
      case 'block':
        return `(${this.#nested(source.block)})`;
      case 'union':
        return `(${source.blocks.map((block, i) => this.#unionInput(source, block, i)).join(' UNION ALL ')})`;
      case 'join': {
        const { join } = source;
        const conditions = join.on.map(({ left, right }) => `${emit(left)} = ${emit(right)}`);
        if (join.condition) conditions.push(emit(join.condition));
        const left = this.#nested(source.left);
        return `(${left}) AS l ${JOINS[join.mode]} JOIN (${this.#nested(source.right)}) AS r ON ${conditions.join(' AND ')}`;
      }
    }
  }

  #unionInput(source: Extract<BlockSource, { readonly kind: 'union' }>, block: Block, index: number): string {
    const wanted = source.columns.filter(({ id }) => block.exports.has(id));
    return this.#select(block, (emit, declare) =>
      wanted.length === 0
        ? ['1 AS c0']
        : wanted.map(({ id, values }) => {
            const value = values[index] ?? sql`NULL`;
            // A column may have the same id in the union and in the input.
            return (isColumn(value, id) ? declare(id) : undefined) ?? aliased(emit(value), id);
          }),
    );
  }

  /** The conditions for the tenant and window of a scan. Every scan is printed here, so none lacks them. */
  #scopeOf(source: BlockSource): Sql[] {
    if (source.kind !== 'table') return [];
    // Its rows are bound, for a tenant and for what the caller may read.
    if (source.scan.table === 'changes') return windowOf(source.scan);
    const { workspace, project, environment } = this.#scope;
    const conditions = [sql`workspace = ${{ kind: 'parameter', type: 'UInt32', value: workspace }}`];
    if (project !== undefined) conditions.push(sql`project = ${{ kind: 'parameter', type: 'UInt32', value: project }}`);
    if (environment !== undefined) {
      conditions.push(sql`environment = ${{ kind: 'parameter', type: 'String', value: environment }}`);
    }
    const scan = { ...source.scan, window: shiftedWindow(source.scan) };
    this.#reachOver(scan.window);
    this.tables.add(scan.table);
    this.readsExponential ||= scan.columns.has('positive_counts');
    const { table, kinds } = scan;
    if (table === 'metric_points' || table === 'metric_histograms') this.#kinds.used.add(kinds);
    return [...conditions, ...windowOf(scan)];
  }

  /**
   * Series are checked where they are read anyway; a statement that reads only points does not check them. Not in a condition on
   * rows, which the store computes of rows that other conditions exclude.
   */
  #kindsOf({ source, grouped }: Block): Sql[] {
    if (source.kind !== 'table' || source.scan.table !== 'metric_series' || !source.scan.kinds || !grouped) return [];
    const { kinds } = source.scan;
    this.#kinds.checked.add(kinds);
    const each = kinds.map(
      (one) => sql`(any(kind) = ${text(one.kind)} AND any(temporality) = ${text(one.temporality)})`,
    );
    return [sql`NOT ${assumed(sql`NOT ${some(each)}`, 'kind')}`];
  }

  #reachOver(window: Window): void {
    this.reach = covering(this.reach, window);
  }

  #fromChanges(window: Window): string {
    const parameter = `${this.#prefix}_changes`;
    this.tables.add('changes');
    this.changes = { parameter, reach: covering(this.changes?.reach, window) };
    this.params[parameter] = { type: 'String', value: '[]' };
    return changesFrom(`{${parameter}:String}`);
  }

  #fill({ step, keys, range }: Fill, emit: (expression: Sql) => string): string {
    const columns = [...keys, step].map((id) => emit({ kind: 'column', id })).join(', ');
    return ` ORDER BY ${columns} WITH FILL FROM ${emit(range.from)} TO ${emit(range.to)} STEP ${emit(range.by)}`;
  }
}

/** Whether an expression is the time of a table that is ordered by five minutes. */
function isTime(expression: Sql, source: BlockSource): boolean {
  if (source.kind !== 'table' || !isInFiveMinutes(source.scan.table)) return false;
  return expression.kind === 'column' && source.scan.columns.get('time') === expression.id;
}

function isColumn(expression: Sql, id: ColumnId): boolean {
  return expression.kind === 'column' && expression.id === id;
}

function aliased(written: string, id: ColumnId): string {
  return written === `c${id}` ? written : `${written} AS c${id}`;
}

const JOINS: Readonly<Record<Join['mode'], string>> = {
  inner: 'INNER',
  left: 'LEFT',
  anti: 'LEFT ANTI',
  semi: 'LEFT SEMI',
};

function provides(block: Block, id: ColumnId): boolean {
  if (block.definitions.has(id) || block.unnest.some((column) => column.id === id)) return true;
  const { source } = block;
  switch (source.kind) {
    case 'table':
      return [...source.scan.columns.values()].includes(id);
    case 'block':
      return provides(source.block, id);
    case 'join':
      return provides(source.left, id) || provides(source.right, id);
    case 'union':
      return source.columns.some((column) => column.id === id);
  }
}

function covering(before: Window | undefined, { fromNs, toNs }: Window): Window {
  if (before === undefined) return { fromNs, toNs };
  return {
    fromNs: fromNs < before.fromNs ? fromNs : before.fromNs,
    toNs: toNs > before.toNs ? toNs : before.toNs,
  };
}
