import type { Value } from '../../check/value.ts';
import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';
import { patternFault } from './pattern-fault.ts';

function groupFault(pattern: Value | undefined, by: Value | undefined): string | undefined {
  if (pattern?.constant?.type !== 'string' || by?.constant?.type !== 'string') return undefined;
  const groups = groupsIn(pattern.constant.value);
  const asked = Math.max(
    0,
    ...[...by.constant.value.matchAll(/\\(?:\\|(\d))/g)].map(([, digit]) => Number(digit ?? 0)),
  );
  return asked > groups ? `The pattern has ${groups} groups, so there is no \`\\${asked}\`.` : undefined;
}

/** The number of capturing groups of a valid RE2 expression. */
function groupsIn(pattern: string): number {
  const opened = pattern.match(/\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\((?!\?(?!P?<))/gs) ?? [];
  return opened.filter((one) => one === '(').length;
}

export const regexReplace: ScalarFunction = {
  kind: 'scalar',
  name: 'regex_replace',
  doc: 'The text with every match of a regular expression (RE2) replaced; `\\\\1` is its first group.',
  parameters: [
    { name: 'text', type: 'string' },
    { name: 'pattern', type: 'string', literal: true },
    { name: 'by', type: 'string', literal: true },
  ],
  returns: 'string',
  fault: ([, pattern, by]) => patternFault(pattern) ?? groupFault(pattern, by),
  sql: ([text = NULL, pattern = NULL, by = NULL]) => sql`replaceRegexpAll(${text}, ${pattern}, ${by})`,
  examples: [['regex_replace("order 17", "[0-9]+", "#")', 'order #']],
};
