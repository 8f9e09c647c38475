import { type Fields, fieldsOf, listOf, yamlTextOf } from '../files/fields.ts';
import { type Matcher, matcherText, parseMatcher } from '../files/matchers.ts';
import { NoEqual } from '../files/report.ts';

/** Matches every alert: each has a name. */
export const everyAlert = 'alertname=~".*"';

/**
 * The matchers of a route or an inhibition rule, as texts: from the lists of texts, and from the maps of before.
 *
 * @param prefix `source_` and `target_` for inhibition rules
 * @throws NoEqual
 */
export function matchersOf(fields: Fields, prefix: '' | 'source_' | 'target_' = ''): string[] {
  const of = (name: string, op: '=' | '=~') =>
    Object.entries(fieldsOf(fields[`${prefix}${name}`])).map(([label, value]): Matcher => {
      if (label === '') throw new NoEqual('a matcher has no label');
      return { name: label, op, value: yamlTextOf(value) ?? '' };
    });
  const given = fields[`${prefix}matchers`];
  const texts = typeof given === 'string' ? [given] : listOf(given).map((text) => yamlTextOf(text) ?? '');
  const listed = texts.flatMap(splitMatchers).map((text) => {
    const matcher = parseMatcher(text);
    if (matcher === undefined) throw new NoEqual(`${JSON.stringify(text)} is not a matcher`);
    return matcher;
  });
  return [...of('match', '='), ...of('match_re', '=~'), ...listed].map(matcherText);
}

/** One text can hold several matchers: `{a="b", c=~"d,e"}`. */
export function splitMatchers(text: string): string[] {
  const inner = /^\s*\{(.*)\}\s*$/s.exec(text)?.[1] ?? text;
  const parts: string[] = [];
  let part = '';
  let isQuoted = false;
  for (let i = 0; i < inner.length; i++) {
    const character = inner[i] ?? '';
    if (isQuoted && character === '\\') {
      part += character + (inner[++i] ?? '');
      continue;
    }
    if (character === '"') isQuoted = !isQuoted;
    if (character === ',' && !isQuoted) {
      parts.push(part);
      part = '';
    } else part += character;
  }
  // A comma at the end is allowed.
  return part.trim() === '' && parts.length > 0 ? parts : [...parts, part];
}
