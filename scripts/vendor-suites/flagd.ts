import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { status } from '@grpc/grpc-js';
import { Refusal, resolutionOf } from '../../packages/server/src/protocols/flagd/resolve-rules.ts';
import { type Imported, importOf, type Outcome, outcome } from './suite.ts';

/** `evaluator/` of flagd's testbed (Apache-2.0): each example of each scenario, with the flags of its test kit. */
export function flagdOutcomes(folder: string): Outcome[] {
  const imported = importOf('flagd', JSON.parse(readFileSync(join(folder, 'flags/testkit-flags.json'), 'utf8')));
  return readdirSync(join(folder, 'gherkin')).flatMap((file) =>
    examplesIn(readFileSync(join(folder, 'gherkin', file), 'utf8'))
      .filter(({ steps }) => steps.some((step) => step.startsWith('When ')))
      .map(({ name, steps }) => played(`${file}: ${name}`, steps, imported)),
  );
}

interface Example {
  readonly name: string;
  readonly steps: readonly string[];
}

/**
 * The scenarios of a file, an outline once for each row of its examples. What is tagged as of an earlier flagd, which divides
 * otherwise, is left out.
 */
function examplesIn(text: string): Example[] {
  const scenarios: { name: string; steps: string[]; rows: string[][] }[] = [];
  let tags = '';
  let isOfOldFlagd = false;
  for (const line of text.split('\n').map((one) => one.trim())) {
    const current = scenarios.at(-1);
    if (line.startsWith('@')) tags = line;
    else if (/^(Given|When|Then|And|But) /.test(line)) current?.steps.push(line);
    else if (/^(Scenario|Examples)/.test(line)) {
      isOfOldFlagd = tags.includes('@fractional-v1');
      tags = '';
      if (line.startsWith('Scenario')) scenarios.push({ name: line.replace(/^.*?: /, ''), steps: [], rows: [] });
      else if (!isOfOldFlagd) current?.rows.push([]);
    } else if (line.startsWith('|') && !isOfOldFlagd) current?.rows.push(cellsOf(line));
  }
  return scenarios.flatMap(({ name, steps, rows }) => {
    if (!rows.some((row) => row.length === 0)) return [{ name, steps }];
    let head: string[] | undefined;
    return rows.flatMap((row) => {
      if (row.length === 0) head = undefined;
      else if (head === undefined) head = row;
      else {
        const names = head;
        const filled = steps.map((step) => step.replace(/<(\w+)>/g, (_, of) => row[names.indexOf(of)] ?? ''));
        return [{ name: `${name} (${row.join(', ')})`, steps: filled }];
      }
      return [];
    });
  });
}

function cellsOf(line: string): string[] {
  const cells = line.split('|').slice(1, -1);
  return cells.map((cell) => cell.trim());
}

const types = { Boolean: 'boolean', String: 'string', Integer: 'int', Float: 'float', Object: 'object' } as const;
const errors: Readonly<Partial<Record<status, string>>> = {
  [status.NOT_FOUND]: 'FLAG_NOT_FOUND',
  [status.INVALID_ARGUMENT]: 'TYPE_MISMATCH',
  [status.DATA_LOSS]: 'PARSE_ERROR',
};

function played(name: string, steps: readonly string[], imported: Imported): Outcome {
  const context: Record<string, never> = {};
  const expected: Record<string, unknown> = {};
  let asked: { type: keyof typeof types; key: string; fallback: unknown } | undefined;
  const parsed = (type: string, text: string) => (type === 'String' ? text : JSON.parse(text.replaceAll('\\"', '"')));
  for (const step of steps) {
    const [, type = '', key = '', fallback = ''] =
      /(\w+)-flag with key "(.*?)" and a fallback value "(.*)"$/.exec(step) ?? [];
    if (type !== '') asked = { type: type as keyof typeof types, key, fallback: parsed(type, fallback) };
    const [, given = '', kind = '', value = ''] =
      /containing a key "(.*?)", with type "(.*?)" and with value "(.*)"$/.exec(step) ?? [];
    if (given !== '') Object.assign(context, { [given]: parsed(kind, value) });
    const [, outer = '', inner = '', nested = ''] =
      /outer key "(.*?)" and inner key "(.*?)", with value "(.*)"$/.exec(step) ?? [];
    if (outer !== '') Object.assign(context, { [outer]: { [inner]: nested } });
    const [, unit] = /containing a targeting key with value "(.*)"$/.exec(step) ?? [];
    if (unit !== undefined) Object.assign(context, { targetingKey: unit });
    const [, what = '', wanted = ''] =
      /the (resolved details value|reason|error-code) should be "(.*)"$/.exec(step) ?? [];
    if (what !== '') expected[what] = what.startsWith('resolved') ? parsed(asked?.type ?? '', wanted) : wanted;
  }
  if (asked === undefined || Object.keys(expected).length === 0)
    return { name, held: false, why: 'its steps are not played' };
  const actual = resolved(asked, context, imported);
  const shown = Object.fromEntries(Object.keys(expected).map((what) => [what, actual[what]]));
  return outcome(name, expected, shown, imported.notesOf(asked.key));
}

function resolved(
  { type, key, fallback }: { readonly type: keyof typeof types; readonly key: string; readonly fallback: unknown },
  context: Record<string, never>,
  imported: Imported,
): Record<string, unknown> {
  try {
    const { typed, reason } = resolutionOf(imported.evaluate(key, context), types[type], true);
    return { 'resolved details value': typed?.value ?? fallback, reason };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { 'resolved details value': fallback, reason: 'ERROR', 'error-code': errors[error.code] };
  }
}
