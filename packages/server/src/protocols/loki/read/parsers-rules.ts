import { type Line, labelName } from './line-rules.ts';
import type { Extraction } from './logql/ast.ts';
import { LogqlError } from './logql/error.ts';
import { nodesOf } from './pattern-rules.ts';

/** Sets a label that a parser found; a stream or metadata of the same name keeps its own. */
export function extracted(line: Line, name: string, value: string): void {
  const isTaken = line.stream.has(name) || line.metadata.has(name);
  const target = isTaken ? `${name}_extracted` : name;
  // The first one counts.
  if (!line.parsed.has(target)) line.parsed.set(target, value);
}

export function failed(line: Line, error: string, details: string): void {
  line.parsed.set('__error__', error);
  line.parsed.set('__error_details__', details);
}

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** Marks numbers that JavaScript may write in another way: labels have the digits of the text. */
const mark = '\u0001';

function readJson(text: string): Json | undefined {
  try {
    // In what is not JSON, the pattern below could search for the end of a text again and again.
    JSON.parse(text);
  } catch {
    return undefined;
  }
  const marked = text.replaceAll(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (part) =>
    part.startsWith('"') || /^-?\d{1,15}$/.test(part) ? part : JSON.stringify(mark + part),
  );
  return JSON.parse(marked) as Json;
}

const written = (value: Json): string => {
  if (typeof value === 'string') return value.startsWith(mark) ? value.slice(1) : value;
  return JSON.stringify(value).replaceAll(/"\\u0001([^"]*)"/g, '$1');
};

export function parseJson(line: Line, fields: readonly Extraction[]): void {
  const value = readJson(line.text);
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject) {
    failed(line, 'JSONParserErr', 'the line is not a JSON object');
    return;
  }
  if (fields.length === 0) {
    flatten(line, value, '');
    return;
  }
  for (const { name, path } of fields) {
    const found = at(value, path);
    extracted(line, name, found === undefined || found === null ? '' : written(found));
  }
}

/** Nested keys are joined with `_`; lists are left out. */
function flatten(line: Line, value: { [key: string]: Json }, prefix: string): void {
  for (const [key, inner] of Object.entries(value)) {
    const name = prefix + (prefix === '' ? labelName(key) : key.replaceAll(/[^a-zA-Z0-9_]/g, '_'));
    if (typeof inner === 'object' && inner !== null) {
      if (!Array.isArray(inner)) flatten(line, inner, `${name}_`);
    } else extracted(line, name, inner === null ? '' : written(inner));
  }
}

/** `a.b[0]["c d"]` */
function at(value: Json, path: string): Json | undefined {
  let found: Json | undefined = value;
  for (const [, name, index, quoted] of path.matchAll(/([^.[\]"]+)(?![\]"])|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]/g)) {
    if (typeof found !== 'object' || found === null) return undefined;
    if (Array.isArray(found)) found = index === undefined ? undefined : found[Number(index)];
    else {
      const key: string = name ?? quoted ?? '';
      found = Object.hasOwn(found, key) ? found[key] : undefined;
    }
  }
  return found;
}

export function parseLogfmt(
  line: Line,
  how: { readonly fields: readonly Extraction[]; readonly isStrict: boolean; readonly keepsEmpty: boolean },
): void {
  const pairs = /([^\s=]+)(?:=(?:"((?:[^"\\]|\\.)*)"|(\S*)))?/g;
  const wanted = new Map(how.fields.map(({ name, path }) => [path, name]));
  for (const { name } of how.fields) if (how.keepsEmpty) line.parsed.set(name, '');
  for (const [whole, key = '', quoted, plain] of line.text.matchAll(pairs)) {
    if (key.includes('"') || plain?.includes('"')) {
      failed(line, 'LogfmtParserErr', `logfmt syntax error at ${JSON.stringify(whole.slice(0, 100))}`);
      if (how.isStrict) return;
      continue;
    }
    const value = quoted === undefined ? (plain ?? '') : unquoted(quoted);
    if (value === '' && !how.keepsEmpty) continue;
    if (wanted.size === 0) extracted(line, labelName(key), value);
    else if (wanted.has(key)) extracted(line, wanted.get(key) ?? key, value);
  }
}

function unquoted(text: string): string {
  return text.replaceAll(/\\(.)/g, (_, letter: string) => ({ n: '\n', t: '\t', r: '\r' })[letter] ?? letter);
}

/** `{"_entry": "the line", "label": "…"}` as Promtail's `pack` writes it. */
export function unpack(line: Line): void {
  const value = readJson(line.text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    failed(line, 'JSONParserErr', 'the line is not a JSON object');
    return;
  }
  for (const [key, inner] of Object.entries(value))
    if (typeof inner === 'string' && key !== '_entry') extracted(line, labelName(key), inner);
  if (typeof value._entry === 'string') line.text = value._entry;
}

/**
 * The captures of a template such as `<ip> - <_> "<method>`, as Loki's `Matches` in `pkg/logql/log/pattern/pattern.go`: the line begins
 * with the first literal part, and a capture whose end is not found takes the rest.
 *
 * @throws LogqlError
 */
export function patternParser(template: string): (line: Line) => void {
  const nodes = nodesOf(template);
  const names = nodes.flatMap((node) => ('capture' in node && node.capture !== '_' ? [node.capture] : []));
  if (names.length === 0) throw new LogqlError('at least one capture is required');
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) throw new LogqlError(`duplicate capture name (${twice}): invalid expression`);
  return (line) => {
    let rest = line.text;
    for (const [i, node] of nodes.entries()) {
      if ('literal' in node) {
        if (i === 0 && !rest.startsWith(node.literal)) return;
        rest = rest.slice(node.literal.length);
        continue;
      }
      const next = nodes[i + 1];
      const end = next !== undefined && 'literal' in next ? rest.indexOf(next.literal) : -1;
      if (node.capture !== '_' && line.text !== '') extracted(line, node.capture, end < 0 ? rest : rest.slice(0, end));
      if (end < 0) return;
      rest = rest.slice(end);
    }
  };
}
