import { readFile } from 'node:fs/promises';
import { runQuery } from '@fanion/contract';
import { connect, UsageError } from '../files/connect.ts';
import { plainText } from '../files/plain-text.ts';
import type { Terminal } from '../files/terminal.ts';
import type { Call } from './command.ts';

/** Longer values are cut off in tables, but not in JSON. */
const widest = 80;

/** `fanion query`. */
export async function ask({ texts, flags, operands }: Call, terminal: Terminal): Promise<number> {
  const [given, ...more] = operands;
  if (given === undefined || more.length > 0) throw new UsageError("give one query, in quotes: 'spans | limit 10'");
  const limit = texts.limit === undefined ? undefined : Number(texts.limit);
  if (limit !== undefined && !(Number.isInteger(limit) && limit > 0))
    throw new UsageError('--limit must be a whole number above 0');
  const oql = given === '-' ? await readFile('/dev/stdin', 'utf8') : given;
  const { client, scope } = await connect(texts, terminal.env);
  const project = texts.project ?? terminal.env.FANION_PROJECT;
  const body = {
    query: oql,
    ...(texts.from !== undefined && { from: texts.from }),
    ...(texts.to !== undefined && { to: texts.to }),
    ...(project !== undefined && { project }),
    ...(limit !== undefined && { limit }),
  };
  const { data, meta } = await client.call(runQuery, { params: { ws: scope.ws }, body });
  if (flags.has('json')) {
    terminal.out(JSON.stringify({ ...data, meta }));
    return 0;
  }
  for (const line of tableOf(data)) terminal.out(line);
  if (meta.truncated === true) terminal.err(`there are more rows than ${data.rows.length}: use --limit`);
  for (const warning of Array.isArray(meta.warnings) ? meta.warnings : [])
    terminal.err(
      `warning: ${plainText(typeof warning === 'object' && warning !== null && 'message' in warning ? warning.message : warning)}`,
    );
  return 0;
}

interface Result {
  readonly columns: readonly { readonly name: string }[];
  readonly rows: readonly (readonly unknown[])[];
}

/** Lines of a table with a head; control characters of telemetry cannot steer the terminal. */
export function tableOf({ columns, rows }: Result): string[] {
  const cells = [columns.map(({ name }) => name), ...rows.map((row) => row.map(cellOf))];
  const widths = columns.map((_, at) => Math.max(...cells.map((row) => [...(row[at] ?? '')].length)));
  const lines = cells.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return [lines[0] ?? '', widths.map((width) => '-'.repeat(width)).join('  '), ...lines.slice(1)];
}

function cellOf(value: unknown): string {
  const text = plainText(value);
  return [...text].length > widest ? `${[...text].slice(0, widest - 1).join('')}…` : text;
}
