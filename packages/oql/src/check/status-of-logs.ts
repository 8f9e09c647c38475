import { replaceWith } from '../diagnostics/diagnostic.ts';
import type { ExpressionOf } from '../syntax/ast.ts';
import { SEVERITY, SPAN_STATUS } from './enumeration.ts';
import type { Environment } from './environment.ts';
import { findColumn } from './relation.ts';

/**
 * `logs | where status == error`: `status` is a field of spans, so both names would be read as attributes, which no record
 * has. @returns whether it was reported
 */
export function refuseStatusOfLogs(
  expression: ExpressionOf<'compare'>,
  { relation, level, ctx }: Environment,
): boolean {
  const { left, right } = expression;
  if (level !== 'rows' || relation.rows?.signal !== 'logs' || left.kind !== 'path' || right.kind !== 'path')
    return false;
  const [word = '', ...more] = right.segments;
  if (left.segments.join('.') !== 'status' || left.index || more.length > 0 || SPAN_STATUS.member(word) === undefined)
    return false;
  if (['status', word].some((name) => findColumn(relation, name) || ctx.catalogue?.find('logs', 'attribute', name)))
    return false;
  const severity = SEVERITY.member(word) === undefined ? undefined : `severity >= ${word}`;
  const message = `\`status\` is a field of spans. Log records have a severity, as in \`${severity ?? 'severity >= error'}\`; an attribute is compared with a text, as in \`status == "${word}"\`.`;
  ctx.error(
    'UNKNOWN_FIELD',
    expression,
    message,
    severity === undefined ? undefined : replaceWith(expression, severity),
  );
  return true;
}
