import { nameHere, sourceOf } from './names.ts';
import { type ForeignToken, Reader, split, tokensOf } from './tokens.ts';

/** `Table | where … | extend … | summarize … by … | project … | order by … | take …` in OQL. */
export function kqlToOql(text: string): string | undefined {
  const [table, ...stages] = split(tokensOf(text), '|');
  if (table?.length !== 1 || table[0]?.kind !== 'word') return undefined;
  // The table `traces` of Application Insights contains log records.
  const source = /^(?:app)?traces$/i.test(table[0].text) ? 'logs' : sourceOf(table[0].text);
  const name = (written: string) => (written === 'count_' ? '`count()`' : (nameHere(written, source) ?? written));
  const translated = stages.map((stage) => stageOf(new Reader(stage), name));
  return translated.includes(undefined) ? undefined : [source, ...translated].join(' | ');
}

type Naming = (of: string) => string;

function stageOf(reader: Reader, name: Naming): string | undefined {
  if (reader.takes('where') || reader.takes('filter')) return `where ${written(reader.rest(), name)}`;
  if (reader.takes('extend')) return `extend ${written(reader.rest(), name)}`;
  if (reader.takes('summarize')) return summarized(reader.rest(), name);
  if (reader.takes('project') || reader.takes('project-keep')) return `fields ${written(reader.rest(), name)}`;
  if (reader.takes('project-away')) return `omit ${written(reader.rest(), name)}`;
  if (reader.takes('distinct')) {
    const fields = written(reader.rest(), name);
    return `dedup ${fields} | fields ${fields}`;
  }
  if (reader.takes('take') || reader.takes('limit')) return `limit ${written(reader.rest(), name)}`;
  if (reader.takes('count')) return reader.done ? 'count' : undefined;
  if (reader.takes('order', 'by') || reader.takes('sort', 'by')) {
    return `sort ${split(reader.rest(), ',')
      .map((key) => orderOf(key, name))
      .join(', ')}`;
  }
  if (reader.takes('top')) {
    const count = reader.next()?.text;
    if (!reader.takes('by')) return undefined;
    return `top ${count} by ${orderOf(reader.rest(), name).replace(/^(-?)/, (sign) => (sign === '-' ? '' : '-'))}`;
  }
  return undefined;
}

/** KQL sorts in descending order by default. */
function orderOf(tokens: readonly ForeignToken[], name: Naming): string {
  const last = tokens.at(-1)?.text.toLowerCase();
  const field = written(last === 'desc' || last === 'asc' ? tokens.slice(0, -1) : tokens, name);
  return last === 'asc' ? field : `-${field}`;
}

function summarized(tokens: readonly ForeignToken[], name: Naming): string | undefined {
  const by = tokens.findIndex((token) => token.kind === 'word' && token.text.toLowerCase() === 'by');
  const aggregates = written(by < 0 ? tokens : tokens.slice(0, by), name);
  if (by < 0) return `stats ${aggregates}`;
  const keys = split(tokens.slice(by + 1), ',').map((key) => keyOf(key, name));
  return `stats ${aggregates} by ${keys.join(', ')}`;
}

/** `bin(TimeGenerated, 5m)` is `bucket(5m)`. */
function keyOf(tokens: readonly ForeignToken[], name: Naming): string {
  const reader = new Reader(tokens);
  if (reader.takes('bin')) {
    const [of, width] = split(reader.bracketed() ?? [], ',').map((part) => written(part, name));
    return of === 'time' ? `bucket(${width})` : `bucket(${of}, ${width})`;
  }
  return written(tokens, name);
}

const FUNCTIONS: Readonly<Record<string, string>> = {
  ...{ dcount: 'count_distinct', countif: 'count', percentile: 'quantile', tostring: 'string', tolower: 'lower' },
  ...{ avgif: 'avg_if', sumif: 'sum_if', make_set: 'values', strlen: 'length' },
  ...{ isnotempty: 'not is_empty', isempty: 'is_empty' },
};

/** Translates words and operators to those of OQL. */
function written(tokens: readonly ForeignToken[], name: Naming): string {
  let out = '';
  const reader = new Reader(tokens);
  while (!reader.done) {
    const token = reader.next();
    if (!token) break;
    if (token.text === 'percentile' && reader.peek()?.text === '(') {
      const [of, level] = split(reader.bracketed() ?? [], ',').map((part) => written(part, name));
      out += ` quantile(${of}, ${Number(level) / 100})`;
      continue;
    }
    const ranked = /^arg_(max|min)$/i.exec(token.text);
    if (ranked && reader.peek()?.text === '(') {
      const [by, of, ...more] = split(reader.bracketed() ?? [], ',').map((part) => written(part, name));
      out += ` arg${ranked[1]?.toLowerCase()}(${more.length > 0 ? '*' : of}, ${by})`;
      continue;
    }
    if (token.text === '=~' || token.text === '!~') {
      // Equality that ignores case.
      const [, before = '', field = ''] = /^(.*?)(\S+)$/.exec(out) ?? [];
      const sought = JSON.stringify(reader.next()?.text.toLowerCase() ?? '');
      out = `${before}lower(${field}) ${token.text === '=~' ? '==' : '!='} ${sought}`;
      continue;
    }
    const isCall = token.kind === 'word' && reader.peek()?.text === '(';
    const text = isCall
      ? (FUNCTIONS[token.text.toLowerCase()] ?? token.text)
      : token.kind === 'word'
        ? name(token.text)
        : token.text;
    const glued =
      token.text === ',' ||
      token.text === ')' ||
      out.endsWith('(') ||
      out === '' ||
      (token.text === '(' && /\w$/.test(out));
    out += `${glued ? '' : ' '}${token.kind === 'string' ? JSON.stringify(token.text) : text}`;
  }
  return out;
}
