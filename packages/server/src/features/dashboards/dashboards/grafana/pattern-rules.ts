import { PromqlError, parsePromql } from '@fanion/promql';
import { labelValues } from '../promql-rules.ts';

/** Longer patterns are not read. */
const longestPattern = 1_000;

/**
 * The values of a label, of which a pattern of Grafana keeps a part: its group `value`, else its first group, else values that match.
 * Patterns with slashes match anywhere in a value, others match it as a whole.
 * @param text `label_values(…)`
 * @returns a query in PromQL whose answer has the values in its only label; undefined for a pattern that PromQL cannot match
 */
export function patternQuery(text: string, pattern: string): string | undefined {
  const found = labelValues(text);
  if (found === undefined || pattern.length > longestPattern) return undefined;
  const [, inner, flags = ''] = /^\/(.*)\/([a-z]*)$/s.exec(pattern) ?? [];
  if (!/^[gimsu]*$/.test(flags)) return undefined;
  const modes = [...new Set(flags.replace(/[gu]/g, ''))].join('');
  const own = `(?${modes}:${inner ?? pattern})`;
  // Prometheus' patterns match whole values; the shortest beginning leaves the first match.
  const whole = quoted(inner === undefined ? own : `(?s:.*?)${own}(?s:.*)`);
  if (!isPattern(whole)) return undefined;
  const kept = `"$${keptGroup(inner ?? pattern)}"`;
  return `group by (value) (label_replace(${found.series}, "value", ${kept}, "${found.label}", ${whole}))`;
}

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}

function isPattern(text: string): boolean {
  try {
    parsePromql(`x{y=~${text}}`);
    return true;
  } catch (error) {
    if (error instanceof PromqlError) return false;
    throw error;
  }
}

/** The number of the group whose text is the value; 0: the whole value. */
function keptGroup(pattern: string): number {
  let count = 0;
  let isInClass = false;
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at];
    if (character === '\\') at++;
    else if (isInClass) isInClass = character !== ']';
    else if (character === '[') isInClass = true;
    else if (character === '(' && /^\((?!\?)|^\(\?P?<[A-Za-z_]/.test(pattern.slice(at, at + 5))) {
      count++;
      if (/^\(\?P?<value>/.test(pattern.slice(at))) return count;
    }
  }
  return Math.min(count, 1);
}
