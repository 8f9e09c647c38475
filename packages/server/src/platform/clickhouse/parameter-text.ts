/**
 * A parameter as the text that ClickHouse's HTTP interface takes for `{name:Type}`: escaped as in TabSeparated, and
 * within a list as a literal.
 */
export function parameterText(value: unknown): string {
  if (value === null || value === undefined) return '\\N';
  if (typeof value === 'string') return escaped(value);
  if (typeof value === 'boolean') return value ? '1' : '0';
  return literal(value);
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'string') return `'${escaped(value)}'`;
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return numberText(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(',')}]`;
  throw new TypeError(`a parameter of a statement cannot be a ${typeof value}`);
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'nan' : value > 0 ? '+inf' : '-inf';
}

const escapes: Readonly<Record<string, string>> = {
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  "'": "\\'",
  '\\': '\\\\',
};

function escaped(text: string): string {
  return text.replace(/[\t\n\r'\\]/g, (character) => escapes[character] ?? character);
}
