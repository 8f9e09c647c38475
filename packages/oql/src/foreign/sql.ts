import { exactLike, likeCondition, nameHere, sourceOf, whereKnown } from './names.ts';
import { type ForeignToken, Reader, split, tokensOf } from './tokens.ts';

const AGGREGATES: ReadonlySet<string> = new Set(['count', 'sum', 'avg', 'min', 'max', 'stddev', 'median', 'quantile']);
const CLAUSES = ['from', 'where', 'group by', 'having', 'order by', 'limit', 'offset'] as const;
type Clause = 'select' | (typeof CLAUSES)[number];

/** `SELECT … FROM … WHERE … GROUP BY … HAVING … ORDER BY … LIMIT …` in OQL; undefined for anything else. */
export function sqlToOql(text: string): string | undefined {
  const clauses = clausesOf(tokensOf(text.replace(/;\s*$/, '')));
  const table = clauses?.get('from')?.[0];
  if (!clauses || table?.kind !== 'word' || clauses.get('from')?.length !== 1) return undefined;
  const source = sourceOf(table.text);
  const name = (written: string) => nameHere(written, source) ?? written;
  const items = split(clauses.get('select') ?? [], ',').map((item) => selected(item, name));
  const keys = split(clauses.get('group by') ?? [], ',').filter((key) => key.length > 0);
  const grouped = keys.map((key) => value(key, name));
  const stages: (string | undefined)[] = [source];
  const where = clauses.get('where');
  if (where) stages.push(prefixed('where', conditionOf(where, name)));
  const aggregates = items.filter((item) => item?.isAggregate);
  const plain = items.filter((item) => !item?.isAggregate);
  const isGrouped = grouped.length > 0 || aggregates.length > 0;
  const by = grouped.join(', ');
  if (aggregates.length > 0) {
    const made = aggregates.map((item) => (item?.alias ? `${item.alias}=${item.text}` : item?.text));
    stages.push(`stats ${made.join(', ')}${by ? ` by ${by}` : ''}`);
  } else if (isGrouped) stages.push(`dedup ${by}`);
  const renamed = plain.filter((item) => item?.alias);
  // A key under another name, or `GROUP BY 1`.
  if (isGrouped && (renamed.length > 0 || keys.some(([key]) => key?.kind !== 'word'))) return undefined;
  if (renamed.length > 0) stages.push(`extend ${renamed.map((item) => `${item?.alias} = ${item?.text}`).join(', ')}`);
  /** The name of a value after the aggregation. */
  const called = (of: string) => {
    const item = aggregates.find((one) => one?.text === of);
    return item ? (item.alias ?? `\`${of}\``) : of.includes('(') ? undefined : of;
  };
  const having = clauses.get('having');
  if (having) stages.push(prefixed('where', conditionOf(having, name)));
  const order = clauses.get('order by');
  if (order) {
    const orders = split(order, ',').map((key) => ordered(key, name, called));
    stages.push(orders.includes(undefined) ? undefined : `sort ${orders.join(', ')}`);
  }
  const limit = clauses.get('limit')?.[0]?.text;
  const offset = clauses.get('offset')?.[0]?.text;
  if (limit) stages.push(`limit ${limit}${offset ? ` offset ${offset}` : ''}`);
  // After the order, which may use other fields.
  if (aggregates.length === 0 && items.some((item) => item?.text !== '*'))
    stages.push(`fields ${items.map((item) => item?.alias ?? item?.text).join(', ')}`);
  if ([...items, ...stages, ...grouped].some((one) => one === undefined)) return undefined;
  return stages.join(' | ');
}

function prefixed(keyword: string, text: string | undefined): string | undefined {
  return text === undefined ? undefined : `${keyword} ${text}`;
}

function clausesOf(tokens: readonly ForeignToken[]): ReadonlyMap<Clause, readonly ForeignToken[]> | undefined {
  const reader = new Reader(tokens);
  if (!reader.takes('select')) return undefined;
  const clauses = new Map<Clause, ForeignToken[]>();
  let current: ForeignToken[] = [];
  clauses.set('select', current);
  for (let depth = 0; !reader.done; ) {
    const clause = depth === 0 ? CLAUSES.find((words) => reader.takes(...words.split(' '))) : undefined;
    if (clause) {
      current = [];
      clauses.set(clause, current);
      continue;
    }
    const token = reader.next();
    if (!token) break;
    if (token.kind === 'symbol' && token.text === '(') depth++;
    if (token.kind === 'symbol' && token.text === ')') depth--;
    current.push(token);
  }
  return clauses;
}

function selected(tokens: readonly ForeignToken[], name: (of: string) => string) {
  const as = tokens.findIndex((token) => token.kind === 'word' && token.text.toLowerCase() === 'as');
  const alias = as > 0 ? tokens[as + 1]?.text : undefined;
  const text = value(as > 0 ? tokens.slice(0, as) : tokens, name);
  if (text === undefined) return undefined;
  const isAggregate = AGGREGATES.has(/^(\w+?)(?:_distinct)?\(/.exec(text)?.[1] ?? '');
  return { text, isAggregate, ...(alias ? { alias } : {}) };
}

/** A field, a number, a text or a call. */
function value(tokens: readonly ForeignToken[], name: (of: string) => string): string | undefined {
  const reader = new Reader(tokens);
  const first = reader.next();
  if (!first) return undefined;
  if (first.kind === 'string') return reader.done ? JSON.stringify(first.text) : undefined;
  if (first.kind === 'number' || first.text === '*') return reader.done ? first.text : undefined;
  if (first.kind !== 'word') return undefined;
  if (reader.done) return name(first.text);
  const inner = reader.bracketed();
  const fn = first.text.toLowerCase();
  if (!inner || !reader.done) return undefined;
  if (inner[0]?.text.toLowerCase() === 'distinct') return `${fn}_distinct(${value(inner.slice(1), name) ?? ''})`;
  if (inner.length === 0 || (inner.length === 1 && inner[0]?.text === '*')) return `${fn}()`;
  const args = split(inner, ',').map((arg) => value(arg, name));
  // `COUNT(x)` counts the rows that have a value.
  if (fn === 'count' && args.length === 1) return `count(${args[0]} exists)`;
  return args.includes(undefined) ? undefined : `${fn}(${args.join(', ')})`;
}

function ordered(
  tokens: readonly ForeignToken[],
  name: (of: string) => string,
  called: (of: string) => string | undefined,
): string | undefined {
  const last = tokens.at(-1)?.text.toLowerCase();
  const of = value(last === 'desc' || last === 'asc' ? tokens.slice(0, -1) : tokens, name);
  const field = of && called(of);
  return field && `${last === 'desc' ? '-' : ''}${field}`;
}

const OPERATORS: Readonly<Record<string, string>> = {
  ...{ '=': '==', '<': '<', '>': '>', '<=': '<=', '>=': '>=', '==': '==' },
  ...{ and: 'and', or: 'or', in: 'in', true: 'true', false: 'false', null: 'null' },
  ...{ '(': '(', ')': ')', ',': ',', '+': '+', '-': '-', '*': '*', '/': '/' },
};

/**
 * Translates a condition word by word: operators have other names, and texts are in double quotes. In SQL, a comparison with
 * a missing value is never true, not even `<>` and `NOT IN`; this is why `NOT` before a condition is not translated.
 */
export function conditionOf(tokens: readonly ForeignToken[], name: (of: string) => string): string | undefined {
  const reader = new Reader(tokens);
  const out: string[] = [];
  while (!reader.done) {
    if (reader.takes('is', 'not', 'null')) out.push('exists');
    else if (reader.takes('is', 'null')) out.push('== null');
    else if (reader.takes('between')) {
      const [low, , high] = [reader.next(), reader.next(), reader.next()];
      if (!low || !high) return undefined;
      out.push(`between ${literal(low)} .. ${literal(high)}`);
    } else if (reader.takes('<>') || reader.takes('!=')) {
      const [field, sought] = [out.pop(), reader.next()];
      if (field === undefined || !sought || sought.text === '(') return undefined;
      out.push(whereKnown(field, `${field} != ${sought.kind === 'word' ? name(sought.text) : literal(sought)}`));
    } else if (reader.takes('not', 'in')) {
      const [field, list] = [out.pop(), reader.bracketed()];
      if (field === undefined || !list) return undefined;
      out.push(whereKnown(field, `not ${field} in (${list.map(literal).join(' ').replaceAll(' ,', ',')})`));
    } else {
      const isNot = reader.takes('not');
      const isExact = reader.takes('like');
      if (isExact || reader.takes('ilike')) {
        const [field, pattern] = [out.pop(), reader.next()];
        if (field === undefined || pattern?.kind !== 'string') return undefined;
        const condition = isExact ? exactLike(field, pattern.text) : likeCondition(field, pattern.text);
        out.push(isNot ? whereKnown(field, `not ${condition}`) : condition);
        continue;
      }
      const token = reader.next();
      if (!token) break;
      const isCall = token.kind === 'word' && reader.peek()?.text === '(' && token.text.toLowerCase() !== 'in';
      const isNull = token.text === '=' && reader.peek()?.text.toLowerCase() === 'null';
      if (isNot || isNull || (isCall && !/^(?:and|or)$/i.test(token.text))) return undefined;
      const operator = token.kind === 'string' ? undefined : OPERATORS[token.text.toLowerCase()];
      out.push(operator ?? (token.kind === 'word' ? name(token.text) : literal(token)));
    }
  }
  return out.join(' ').replaceAll('( ', '(').replaceAll(' )', ')').replaceAll(' ,', ',');
}

function literal(token: ForeignToken): string {
  return token.kind === 'string' ? JSON.stringify(token.text) : token.text;
}
