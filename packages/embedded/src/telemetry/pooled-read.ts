import { quoteString } from './quoting.ts';
import type { StatementText } from './statement-text.ts';

/** A read with its settings in its own text. */
export interface PooledRead {
  /** Sets the parameters; empty where there are none. */
  readonly parameters: string;
  readonly statement: string;
}

/**
 * Settings that ClickHouse reads before it applies a SETTINGS clause, because they concern its parser, or that mean
 * something else in a clause than on a connection.
 */
const NOT_IN_A_CLAUSE =
  /^(max_query_size|max_parser_.*|max_ast_.*|max_expanded_ast_.*|dialect|profile|limit|offset|implicit_.*)$/;

/** The clause counts as part of the statement, whose limit is 256 KiB (`max_query_size`). */
const LONGEST_POOLED = 200 * 1024;

/** Of a statement that could set something for longer than it runs, or against its own settings. */
const KEYWORDS = /;|\b(settings|insert|set)\b/i;

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Rewrites a read so that it can run on a reused connection; undefined where it needs a new one.
 *
 * Only a single SELECT under `readonly=1` qualifies: it can change nothing of its connection. Its settings, `readonly`
 * among them, become a SETTINGS clause behind FORMAT, where they hold for this statement alone and for all of it. A
 * parameter does stay on the connection, but a statement can read it only by its name, and every name in the statement
 * is set again in front of it: a statement with a name that its request does not bind does not qualify.
 */
export function pooledRead({
  text,
  format,
  id,
  settings,
  parameters,
}: {
  readonly text: StatementText;
  /** Where the statement names none. */
  readonly format: string;
  readonly id: string;
  readonly settings: ReadonlyMap<string, string>;
  readonly parameters: ReadonlyMap<string, string>;
}): PooledRead | undefined {
  const { sql } = text;
  if (settings.get('readonly') !== '1' || !/^\s*(SELECT|WITH)\b/i.test(sql) || KEYWORDS.test(sql)) return undefined;
  if (!text.isClosed || text.parameters?.every((name) => parameters.has(name)) !== true) return undefined;
  if (text.format !== undefined && !text.endsWithFormat) return undefined;
  const names = [format, ...settings.keys(), ...parameters.keys()];
  if (!names.every((name) => NAME.test(name) && !NOT_IN_A_CLAUSE.test(name))) return undefined;
  const clause = [`log_comment=${quoteString(id)}`];
  for (const [name, value] of settings) if (name !== 'log_comment') clause.push(`${name}=${quoteString(value)}`);
  const bound = [...parameters].map(([name, value]) => `param_${name}=${quoteString(value)}`);
  const formatted = text.format === undefined ? `\nFORMAT ${format}` : '';
  const statement = `${sql.slice(0, text.end)}${formatted}\nSETTINGS ${clause.join(', ')}`;
  if (statement.length > LONGEST_POOLED) return undefined;
  return { parameters: bound.length === 0 ? '' : `SET ${bound.join(', ')}; `, statement };
}
