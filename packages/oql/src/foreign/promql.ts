import { type ForeignToken, Reader, split, tokensOf } from './tokens.ts';

const AGGREGATES: ReadonlySet<string> = new Set(['sum', 'avg', 'min', 'max', 'count', 'stddev']);
const RANGES: Readonly<Record<string, string>> = { rate: 'promrate', increase: 'promincrease' };

interface Selected {
  readonly name?: string;
  readonly conditions: readonly string[];
  readonly range?: string;
}

/** Translates selectors, `rate`, `increase`, aggregations, `histogram_quantile` and `topk` to OQL; undefined for anything else. */
export function promqlToOql(text: string): string | undefined {
  const stages = expression(new Reader(tokensOf(text)));
  return stages?.join(' | ');
}

function expression(reader: Reader): string[] | undefined {
  const stages = operand(reader);
  return stages && reader.done ? stages : undefined;
}

function operand(reader: Reader): string[] | undefined {
  const [word, after] = [reader.peek(), reader.peek(1)];
  const name = word?.kind === 'word' ? word.text.toLowerCase() : '';
  const isCall = after?.text === '(' || after?.text === 'by';
  if (isCall && AGGREGATES.has(name)) return aggregation(reader, name);
  if (isCall && Object.hasOwn(RANGES, name)) return ranged(reader, RANGES[name] ?? '');
  if (isCall && (name === 'topk' || name === 'bottomk')) return ranking(reader, name === 'topk' ? '' : '-');
  if (isCall && name === 'histogram_quantile') return quantile(reader);
  const selected = selector(reader);
  if (!selected?.name || selected.range) return undefined;
  return [...metric(selected)];
}

function ranged(reader: Reader, stage: string): string[] | undefined {
  reader.next();
  const inner = reader.bracketed();
  const argument = inner && new Reader(inner);
  const selected = argument && selector(argument);
  if (!selected?.name || !selected.range || !argument?.done) return undefined;
  return [...metric(selected), `${stage} ${selected.range}`];
}

/** Labels after `by`, before or after the brackets; undefined for `without`. */
function grouping(reader: Reader): readonly string[] | undefined {
  if (reader.peek()?.text.toLowerCase() === 'without') return undefined;
  if (!reader.takes('by')) return [];
  return split(reader.bracketed() ?? [], ',').map((label) => labelName(label[0]?.text ?? ''));
}

function aggregation(reader: Reader, name: string): string[] | undefined {
  reader.next();
  const before = grouping(reader);
  const inner = reader.bracketed();
  const behind = grouping(reader);
  const stages = inner && expression(new Reader(inner));
  // Without a range function it refers to the last point of each series; a window has many points.
  if (!stages || !before || !behind || !/^(?:promrate|promincrease) /.test(stages.at(-1) ?? '')) return undefined;
  const labels = [...before, ...behind];
  return [...stages, `${name}${labels.length > 0 ? ` by ${labels.join(', ')}` : ''}`];
}

function ranking(reader: Reader, sign: string): string[] | undefined {
  reader.next();
  const [count, of] = split(reader.bracketed() ?? [], ',');
  const stages = of && expression(new Reader(of));
  const value = /^(\w+)/.exec(stages?.at(-1) ?? '')?.[1] ?? '';
  if (!stages || count?.length !== 1 || !AGGREGATES.has(value)) return undefined;
  return [...stages, `top ${count[0]?.text} by ${sign}${value}`];
}

/** Buckets are merged over all labels except those that the sum keeps; `le` belongs to the buckets themselves. */
function quantile(reader: Reader): string[] | undefined {
  reader.next();
  const [level, ...of] = split(reader.bracketed() ?? [], ',');
  const stages = expression(new Reader(of.flatMap((part, i) => (i > 0 ? [COMMA, ...part] : part))));
  if (!stages || level?.length !== 1) return undefined;
  const last = /^sum(?: by (.*))?$/.exec(stages.at(-1) ?? '');
  const kept = (last?.[1] ?? '').split(', ');
  // Without a sum, it is computed for each series. Buckets summed over `le` are no longer buckets.
  if (!last || (/_bucket\b/.test(stages[0] ?? '') && !kept.includes('le'))) return undefined;
  const labels = kept.filter((label) => label !== '' && label !== 'le');
  const points = stages.slice(0, -1);
  return [...points, `quantile(value, ${level[0]?.text})${labels.length > 0 ? ` by ${labels.join(', ')}` : ''}`];
}

const COMMA: ForeignToken = { kind: 'symbol', text: ',' };

/** `name{a="b"}[5m]` */
export function selector(reader: Reader): Selected | undefined {
  const name = reader.word();
  const labels = reader.peek()?.text === '{' ? reader.bracketed('{', '}') : [];
  if (!labels) return undefined;
  const conditions: string[] = [];
  for (const [label, operator, text] of split(labels, ',').filter((matcher) => matcher.length > 0)) {
    if (label?.kind !== 'word' || text?.kind !== 'string' || !operator) return undefined;
    const condition = matcher(labelName(label.text), operator.text, text.text);
    if (condition === undefined) return undefined;
    conditions.push(condition);
  }
  const range = reader.peek()?.text === '[' ? reader.bracketed('[', ']')?.[0]?.text : undefined;
  return { ...(name ? { name } : {}), conditions, ...(range ? { range } : {}) };
}

/** Regular expressions match the whole label, and a missing label is an empty string. */
export function matcher(label: string, operator: string, text: string): string | undefined {
  const quoted = JSON.stringify(operator === '=' || operator === '!=' ? text : `^(?:${text})$`);
  const known = !/^(?:=|!=)$/.test(operator) ? matchesNoEmptyText(text) : text !== '';
  if (known) return `${label} ${operator === '=' ? '==' : operator} ${quoted}`;
  if (operator === '=') return `(not ${label} exists or ${label} == "")`;
  if (operator === '!=') return `(${label} exists and ${label} != "")`;
  return undefined;
}

/** Whether each alternative begins with a required letter or digit, or is `.+`. */
function matchesNoEmptyText(pattern: string): boolean {
  return pattern.split('|').every((one) => one === '.+' || /^[A-Za-z0-9_/-](?![*?{])[^()]*$/.test(one));
}

function labelName(label: string): string {
  return label === 'service_name' ? 'service.name' : label;
}

function metric({ name = '', conditions }: Selected): readonly string[] {
  const source = `metric ${/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)}`;
  return conditions.length > 0 ? [source, `where ${conditions.join(' and ')}`] : [source];
}
