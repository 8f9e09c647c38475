import { createBreath } from '../../../platform/breath.ts';
import type { Line } from './line-rules.ts';
import { bytesOf, durationNs, numberOf } from './logql/units-rules.ts';
import { parseJson, parseLogfmt } from './parsers-rules.ts';

/** A field that some lines have, besides the labels of their streams. */
export interface DetectedField {
  readonly label: string;
  readonly type: 'boolean' | 'int' | 'float' | 'duration' | 'bytes' | 'string';
  /** What finds it in the line; none for structured metadata. */
  readonly parsers: readonly string[];
  readonly values: ReadonlySet<string>;
}

/** The type of the first value, as Loki takes it (`determineType` in `pkg/querier/queryrange/detected_fields.go`). */
export function typeOf(value: string): DetectedField['type'] {
  if (/^[+-]?\d+$/.test(value)) return 'int';
  if (numberOf(value) !== undefined) return 'float';
  if (/^(true|false)$/i.test(value)) return 'boolean';
  if (durationNs(value) !== undefined) return 'duration';
  return bytesOf(value) === undefined ? 'string' : 'bytes';
}

/** The fields of lines in the order in which they are found. @param most how many different fields are detected */
export async function fieldsOf(lines: readonly Line[], most: number): Promise<DetectedField[]> {
  const breath = createBreath();
  const found = new Map<string, { parsers: Set<string>; values: Set<string> }>();
  const add = (label: string, value: string, parser?: string) => {
    if (value === '' || label.startsWith('__')) return;
    const known = found.get(label) ?? { parsers: new Set<string>(), values: new Set<string>() };
    if (!found.has(label)) {
      if (found.size >= most) return;
      found.set(label, known);
    }
    known.values.add(value);
    if (parser !== undefined) known.parsers.add(parser);
  };
  for (const line of lines) {
    await breath();
    const parsed = new Map(line.parsed);
    for (const [label, value] of line.metadata) add(label, value);
    for (const [label, value] of parsed) add(label, value);
    const parser = parseLine(line);
    if (parser !== undefined)
      for (const [label, value] of line.parsed) if (!parsed.has(label)) add(label, value, parser);
  }
  return [...found].map(([label, { parsers, values }]) => {
    const [first = ''] = values;
    return { label, type: typeOf(first), parsers: [...parsers].toSorted(), values };
  });
}

/** The parser that a line is for; undefined: none. A line is changed as a stage of a pipeline changes it. */
function parseLine(line: Line): 'json' | 'logfmt' | undefined {
  const copy: Line = { ...line, parsed: new Map() };
  const isJson = copy.text.trimStart().startsWith('{');
  if (isJson) parseJson(copy, []);
  else parseLogfmt(copy, { fields: [], isStrict: true, keepsEmpty: false });
  if (copy.parsed.has('__error__')) return undefined;
  for (const [name, value] of copy.parsed) if (!line.parsed.has(name)) line.parsed.set(name, value);
  return isJson ? 'json' : 'logfmt';
}
