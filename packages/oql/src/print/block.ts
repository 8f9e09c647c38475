import type { Definition, Fill, FinerKeys, Join, Order, Plan, Scan, UnionColumn } from '../plan/plan.ts';
import { type ColumnId, type Sql, weight } from '../sql/sql.ts';

/** One SELECT under construction: as many nodes of a plan as fit into it without changing its meaning. */
export interface Block {
  readonly source: BlockSource;
  readonly definitions: Map<ColumnId, Sql>;
  readonly weights: Map<ColumnId, number>;
  readonly where: Sql[];
  readonly unnest: Definition[];
  grouped?: {
    readonly keys: readonly Definition[];
    readonly aggregates: readonly ColumnId[];
    readonly finer?: FinerKeys;
  };
  readonly having: Sql[];
  hasWindow: boolean;
  order: readonly Order[];
  distinct?: { readonly by: readonly Sql[]; readonly count: number };
  limit?: { readonly count: number; readonly offset: number };
  fill?: Fill;
  /** The columns that enclosing blocks read; collected while they are printed. */
  readonly exports: Set<ColumnId>;
}

export type BlockSource =
  | { readonly kind: 'table'; readonly scan: Scan }
  | { readonly kind: 'block'; readonly block: Block }
  | { readonly kind: 'join'; readonly join: Join; readonly left: Block; readonly right: Block }
  | { readonly kind: 'union'; readonly columns: readonly UnionColumn[]; readonly blocks: readonly Block[] };

/** Larger expressions are computed once, in a separate block, so that the statement grows no faster than the query. */
const MAX_WEIGHT = 400;

function blockOn(source: BlockSource): Block {
  return {
    source,
    definitions: new Map(),
    weights: new Map(),
    where: [],
    unnest: [],
    having: [],
    hasWindow: false,
    order: [],
    exports: new Set(),
  };
}

function wrap(block: Block): Block {
  return blockOn({ kind: 'block', block });
}

function isCut(block: Block): boolean {
  return block.limit !== undefined || block.distinct !== undefined || block.fill !== undefined;
}

/** Folds a plan into as few SELECTs as it can. */
export function toBlock(plan: Plan): Block {
  switch (plan.op) {
    case 'scan':
      return blockOn({ kind: 'table', scan: plan });
    case 'union':
      return blockOn({ kind: 'union', columns: plan.columns, blocks: plan.inputs.map(toBlock) });
    case 'join':
      return blockOn({ kind: 'join', join: plan, left: toBlock(plan.left), right: toBlock(plan.right) });
    case 'filter':
      return filtered(toBlock(plan.input), plan.predicate);
    case 'extend':
      return plan.columns.reduce(defined, plan.apart ? wrap(toBlock(plan.input)) : toBlock(plan.input));
    case 'window':
      return windowed(toBlock(plan.input), plan.columns);
    case 'aggregate':
      return aggregated(toBlock(plan.input), plan);
    case 'sort': {
      const input = toBlock(plan.input);
      const block = isCut(input) ? wrap(input) : input;
      block.order = plan.orders;
      return block;
    }
    case 'limit': {
      const input = toBlock(plan.input);
      const block = input.fill !== undefined || (input.limit !== undefined && plan.offset > 0) ? wrap(input) : input;
      const { count, offset } = block.limit ?? { count: plan.count, offset: plan.offset };
      block.limit = { count: Math.min(count, plan.count), offset };
      return block;
    }
    case 'distinct': {
      const input = toBlock(plan.input);
      const block = isCut(input) ? wrap(input) : input;
      block.distinct = { by: plan.by, count: plan.count ?? 1 };
      return block;
    }
    case 'unnest': {
      const input = toBlock(plan.input);
      const plain = input.where.length === 0 && input.unnest.length === 0 && !input.grouped && !input.hasWindow;
      const block = plain && !isCut(input) && input.order.length === 0 ? input : wrap(input);
      block.unnest.push(...plan.columns);
      return block;
    }
    case 'fill': {
      const block = wrap(toBlock(plan.input));
      block.fill = plan;
      return block;
    }
  }
}

function filtered(input: Block, predicate: Sql): Block {
  // In HAVING, the engine reads alternatives of regular expressions as one function of rows, and fails for aggregates.
  const isMatch = input.grouped !== undefined && contains(predicate, 'match(') && contains(predicate, ' OR ');
  const block = isCut(input) || input.hasWindow || isMatch ? wrap(input) : input;
  if (block.grouped) block.having.push(predicate);
  else block.where.push(predicate);
  return block;
}

function contains(expression: Sql, text: string): boolean {
  if (expression.kind !== 'text') return false;
  return expression.parts.some((part) => part.includes(text)) || expression.args.some((arg) => contains(arg, text));
}

function defined(input: Block, definition: Definition): Block {
  const size = weight(definition.value, (id) => input.weights.get(id) ?? 1);
  const large = size > MAX_WEIGHT && size > weight(definition.value);
  const block = large || input.fill !== undefined ? wrap(input) : input;
  block.definitions.set(definition.id, definition.value);
  block.weights.set(definition.id, block === input ? size : weight(definition.value));
  return block;
}

function windowed(input: Block, columns: readonly Definition[]): Block {
  const block = isCut(input) || input.grouped || input.hasWindow ? wrap(input) : input;
  block.hasWindow = true;
  for (const { id, value } of columns) block.definitions.set(id, value);
  return block;
}

function aggregated(input: Block, plan: Extract<Plan, { readonly op: 'aggregate' }>): Block {
  const isSorted = plan.inOrder && input.order.length > 0;
  const block = isCut(input) || input.grouped || input.hasWindow || isSorted ? wrap(input) : input;
  block.order = [];
  const aggregates = plan.aggregates.filter(({ constant }) => !constant).map(({ id }) => id);
  block.grouped = { keys: plan.keys, aggregates, ...(plan.finer && { finer: plan.finer }) };
  for (const { id, value } of [...plan.keys, ...(plan.finer?.keys ?? []), ...plan.aggregates])
    block.definitions.set(id, value);
  return block;
}
