import { literally, nameHere } from './names.ts';
import { matcher, selector } from './promql.ts';
import { type ForeignToken, Reader, split, tokensOf } from './tokens.ts';

/** Stream selectors, line filters, `json`, `logfmt`, label filters, `count_over_time` and `rate` in OQL. */
export function logqlToOql(text: string): string | undefined {
  const reader = new Reader(tokensOf(text));
  // Without a sum, LogQL returns a number for each stream. OQL has no streams.
  const outer = reader.peek()?.text.toLowerCase() === 'sum' ? counted(reader) : undefined;
  const stages = outer ?? stream(reader);
  return stages && reader.done ? stages.join(' | ') : undefined;
}

/** `sum by (a) (count_over_time({…}[5m]))` */
function counted(reader: Reader): string[] | undefined {
  const fn = reader.word()?.toLowerCase();
  if (fn === 'sum') {
    const labels = reader.takes('by')
      ? split(reader.bracketed() ?? [], ',').map(([label]) => here(label?.text ?? ''))
      : [];
    const inner = new Reader(reader.bracketed() ?? []);
    const stages = counted(inner);
    const behind = reader.takes('by')
      ? split(reader.bracketed() ?? [], ',').map(([label]) => here(label?.text ?? ''))
      : [];
    const last = stages?.pop();
    if (!stages || last === undefined || !inner.done) return undefined;
    return [...stages, [last, ...labels, ...behind].join(', ')];
  }
  if (fn !== 'count_over_time' && fn !== 'rate') return undefined;
  const inner = reader.bracketed();
  const range = inner?.at(-1)?.text === ']' ? inner.at(-2)?.text : undefined;
  const stages = inner && range && stream(new Reader(inner.slice(0, -3)));
  if (!stages) return undefined;
  return [...stages, `stats ${fn === 'rate' ? 'rate=count()/window' : 'n=count()'} by bucket(${range})`];
}

function here(name: string): string {
  return nameHere(name, 'logs') ?? name;
}

function stream(reader: Reader): string[] | undefined {
  const selected = selector(reader);
  if (!selected || selected.name || selected.range) return undefined;
  const conditions = selected.conditions.map((one) => one.replace(/^\w+/, here));
  const stages: string[] = [];
  const flush = () => {
    if (conditions.length > 0) stages.push(`where ${conditions.splice(0).join(' and ')}`);
  };
  while (!reader.done) {
    const operator = reader.next();
    if (operator?.text === '|') {
      flush();
      const stage = labelStage(
        reader,
        stages.some((stage) => stage.startsWith('parse ')),
      );
      if (stage === undefined) return undefined;
      stages.push(stage);
      continue;
    }
    const filter = lineFilter(operator, reader.next());
    if (filter === undefined) return undefined;
    conditions.push(filter);
  }
  flush();
  return ['logs', ...stages];
}

function lineFilter(operator: ForeignToken | undefined, sought: ForeignToken | undefined): string | undefined {
  if (sought?.kind !== 'string') return undefined;
  const text = JSON.stringify(sought.text);
  // Case-sensitive, unlike `contains`.
  const literal = JSON.stringify(literally(sought.text));
  switch (operator?.text) {
    case '|=':
      return `body =~ ${literal}`;
    case '!=':
      return `body !~ ${literal}`;
    case '|~':
      return `body =~ ${text}`;
    case '!~':
      return `body !~ ${text}`;
    default:
      return undefined;
  }
}

/** @param isParsed whether the line was parsed: labels are then its keys, and keep their names */
function labelStage(reader: Reader, isParsed: boolean): string | undefined {
  if (reader.takes('json')) return 'parse body json';
  if (reader.takes('logfmt')) return 'parse body logfmt';
  const [label, operator, value] = [reader.word(), reader.next(), reader.next()];
  if (label === undefined || !operator || !value) return undefined;
  const field = isParsed ? label : here(label);
  if (value.kind === 'string') {
    const condition = matcher(field, operator.text, value.text);
    return condition && `where ${condition}`;
  }
  return `where ${field} ${operator.text === '=' ? '==' : operator.text} ${value.text}`;
}
