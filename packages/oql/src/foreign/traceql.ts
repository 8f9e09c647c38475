/** How TraceQL begins the names of spans' fields, and how OQL does. */
const FIELDS: readonly (readonly [RegExp, string])[] = [
  [/(?<![\w"])span:(\w+)/g, '$1'],
  [/(?<![\w"])trace:id\b/g, 'trace_id'],
  [/(?<![\w"])\.(?=[A-Za-z_])/g, ''],
  [/(?<![\w".])span\.(?=[A-Za-z_])/g, 'attr.'],
];

/** `{ resource.service.name = "shop" && duration > 2s } | rate() by (name)`: one set of spans, and at most one function. */
export function traceqlToOql(text: string): string | undefined {
  const match = /^\{([^{}]*)\}\s*(?:\|\s*(\w+)\s*\(([^()]*)\)\s*(?:by\s*\(([^()]*)\))?)?$/.exec(text);
  if (!match) return undefined;
  const [, inside = '', fn, of = '', by = ''] = match;
  const condition = inside
    .split(/("(?:[^"\\]|\\.)*")/)
    .map((part, at) => (at % 2 === 1 ? part : conditionOf(part)))
    .join('')
    .trim();
  const stages = condition === '' || condition === 'true' ? ['spans'] : ['spans', `where ${condition}`];
  if (fn === undefined) return stages.join(' | ');
  const keys = ['bucket(auto)', ...by.split(',').flatMap((key) => (key.trim() ? [fieldsOf(key.trim())] : []))].join(
    ', ',
  );
  const aggregate = aggregateOf(fn, of);
  return aggregate && [...stages, `stats ${aggregate} by ${keys}`].join(' | ');
}

function conditionOf(text: string): string {
  const joined = text.replaceAll('&&', ' and ').replaceAll('||', ' or ');
  return fieldsOf(joined.replace(/(?<![=!<>~])=(?![=~])/g, '=='))
    .replace(/\s+/g, ' ')
    .replace(/\bnil\b/g, 'null');
}

function fieldsOf(text: string): string {
  return FIELDS.reduce((written, [pattern, name]) => written.replace(pattern, name), text);
}

function aggregateOf(fn: string, of: string): string | undefined {
  if (fn === 'rate' && of.trim() === '') return 'rate=count()/window';
  if (fn === 'count_over_time' && of.trim() === '') return 'n=count()';
  const plain = /^(avg|min|max|sum)_over_time$/.exec(fn)?.[1];
  if (plain && of.trim() !== '') return `${plain}(${fieldsOf(of.trim())})`;
  const [field, level, ...more] = of.split(',').map((part) => part.trim());
  if (fn !== 'quantile_over_time' || !field || !level || more.length > 0) return undefined;
  return `quantile(${fieldsOf(field)}, ${level.replace(/^\./, '0.')})`;
}
