import { type Failure, fail } from '../../../platform/fail.ts';
import type { BoundValue } from './variable-rules.ts';

type Bound = ReadonlyMap<string, BoundValue>;

/** `$name`, `${name}`, `${name:format}` and `[[name]]`, as in Grafana. The format follows from where it stands. */
const use = String.raw`\$(?:\{([A-Za-z_]\w*)(?::\w+)?\}|([A-Za-z_]\w*))|\[\[([A-Za-z_]\w*)(?::\w+)?\]\]`;
/** One that is not closed ends with the query, so that each character is read once. */
const quoted = String.raw`"(?:[^"\\]|\\[^])*(?:"|$)|'(?:[^'\\]|\\[^])*(?:'|$)|${'`'}[^${'`'}]*(?:${'`'}|$)`;
/** A matcher of a label, another quoted text, or a variable outside of both. */
const part = new RegExp(`(=~|!~|!=|=)(\\s*)(${quoted})|(${quoted})|${use}`, 'g');
/** What a value may be where it is not quoted, such as a label, a number or a metric. */
const bare = /^[A-Za-z0-9_.:+-]+$/;

/** Values may be long, and each is written wherever its variable is used. */
const mostCharacters = 65_536;

class Unbound extends Error {}

/** The name that one of the forms of {@link use} captured. */
function nameIn(groups: readonly unknown[]): string {
  return groups.slice(0, 3).find((group): group is string => typeof group === 'string') ?? '';
}

/** The names of the variables that a query in PromQL uses. */
export function variablesInPromql(text: string): string[] {
  return [...new Set([...text.matchAll(new RegExp(use, 'g'))].map(([, ...names]) => nameIn(names)))];
}

/**
 * Writes the values of variables into a query in PromQL. In a matcher, several values mean one of them, and any value
 * makes the matcher true. Unknown names stay. `VARIABLE_INVALID` where a value has no form that fits.
 */
export function bindPromql(text: string, bound: Bound): string | Failure {
  if (!/[$[]/.test(text)) return text;
  let characters = 0;
  const counted = (piece: string) => {
    characters += piece.length;
    if (characters > mostCharacters)
      throw new Unbound(`with the values of its variables the query is longer than ${mostCharacters} characters`);
    return piece;
  };
  try {
    return text.replace(part, (written, op?: string, space = '', matched?: string, other?: string, ...rest) => {
      if (op !== undefined && matched !== undefined) return counted(matcherOf(written, op, space, matched, bound));
      if (other !== undefined) return counted(quotedOf(other, bound, (value) => value));
      const name = nameIn(rest);
      const value = bound.get(name);
      return value === undefined ? written : counted(bareOf(name, value));
    });
  } catch (error) {
    if (error instanceof Unbound) return fail('VARIABLE_INVALID', { reason: error.message });
    throw error;
  }
}

function matcherOf(written: string, op: string, space: string, text: string, bound: Bound): string {
  const values = variablesInPromql(text).flatMap((name) => bound.get(name) ?? []);
  if (values.length === 0) return written;
  if (values.some(({ kind }) => kind === 'any') && isWholeUse(text)) return `=~${space}".*"`;
  const isSeveral = values.some((one) => one.kind === 'any' || (one.kind === 'values' && one.values.length > 1));
  const asPattern = op.endsWith('~') || isSeveral;
  const pattern = op === '=' ? '=~' : op === '!=' ? '!~' : op;
  return `${asPattern ? pattern : op}${space}${quotedOf(text, bound, asPattern ? escaped : (value) => value)}`;
}

const wholeUse = new RegExp(`^.\\^?\\(?(?:${use})\\)?\\$?.$`);
/** Whether a quoted text, or the pattern in it, is one variable. */
function isWholeUse(text: string): boolean {
  return wholeUse.test(text);
}

/** @param form how a value of a query or of several values is written; a value that people wrote is a pattern already */
function quotedOf(text: string, bound: Bound, form: (value: string) => string): string {
  const quote = text.slice(0, 1);
  return text.replace(new RegExp(use, 'g'), (written, ...names) => {
    const value = bound.get(nameIn(names));
    if (value === undefined) return written;
    if (value.kind === 'any') return '.*';
    if (value.kind === 'duration') return value.text;
    const [only] = value.values;
    const isWritten = value.values.length === 1 && value.isPattern === true;
    const values = value.values.map((one) => (isWritten ? String(only) : form(String(one))));
    return within(quote, values.length === 1 ? (values[0] ?? '') : `(${values.join('|')})`);
  });
}

function within(quote: string, text: string): string {
  if (quote !== '`') return text.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`).replaceAll('\n', '\\n');
  if (text.includes('`')) throw new Unbound('a value contains a backtick, and the query quotes it with backticks');
  return text;
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

function bareOf(name: string, value: BoundValue): string {
  if (value.kind === 'any') throw new Unbound(`choose a value for $${name}`);
  if (value.kind === 'duration') return value.text;
  const values = value.values.map(String);
  if (!values.every((one) => bare.test(one))) throw new Unbound(`the value of $${name} is neither a name nor a number`);
  return values.join(', ');
}

/**
 * The label of `label_values(selector, label)`, also without a selector, and an expression for the series that have it in the window;
 * undefined for other texts.
 */
export function labelValues(text: string): { readonly label: string; readonly series: string } | undefined {
  const [, inner] = /^\s*label_values\s*\((.*)\)\s*$/s.exec(text) ?? [];
  if (inner === undefined) return undefined;
  const comma = inner.lastIndexOf(',');
  const label = inner.slice(comma + 1).trim();
  const selector = comma === -1 ? `{${label}!=""}` : inner.slice(0, comma).trim();
  return { label, series: `last_over_time(${selector}[$__range])` };
}

/** The values of a label are a query of their own in Grafana. It becomes an expression whose answer has the label. Other texts stay. */
export function optionsQuery(text: string): string {
  const found = labelValues(text);
  return found === undefined ? text : `group by (${found.label}) (${found.series})`;
}
