import { insertAt, replaceWith } from '../diagnostics/diagnostic.ts';
import type { Range } from '../syntax/ast.ts';
import { parseTimestamp, printTimestamp } from '../syntax/literals.ts';
import type { Context } from './context.ts';
import { isNumber, withArticle } from './types.ts';
import type { Operand } from './value.ts';

/** Reports types that cannot be compared, and suggests a unit, a timestamp without quotes, or a number without quotes. */
export function reportMismatch(left: Operand, right: Operand, range: Range, ctx: Context): void {
  const [typed, bare] = left.value.type === 'duration' ? [left, right] : [right, left];
  if (typed.value.type === 'duration' && (isNumber(bare.value.type) || bare.value.type === 'any')) {
    const literal = bare.value.constant;
    const suggestion = literal ? insertAt(bare.at.end, 'ms', 'add a unit: ns, us, ms, s, m, h, d') : undefined;
    ctx.error('UNIT_MISSING', bare.at, 'Compare a duration with a duration: add a unit, as in `100ms`.', suggestion);
    return;
  }
  const [time, other] = left.value.type === 'timestamp' ? [left, right] : [right, left];
  const written = other.value.constant?.type === 'string' ? parseTimestamp(other.value.constant.value) : undefined;
  if (time.value.type === 'timestamp' && written !== undefined) {
    ctx.error(
      'TYPE_MISMATCH',
      other.at,
      'Write a timestamp without quotes.',
      replaceWith(other.at, printTimestamp(written)),
    );
    return;
  }
  const text = [left, right].find(({ value }) => value.constant?.type === 'string');
  const number = text?.value.constant?.type === 'string' && /^-?\d+(\.\d+)?$/.test(text.value.constant.value);
  const suggestion =
    text && number && text.value.constant?.type === 'string'
      ? replaceWith(text.at, text.value.constant.value)
      : undefined;
  const types = `${withArticle(left.value.type)} with ${withArticle(right.value.type)}`;
  ctx.error('TYPE_MISMATCH', range, `You cannot compare ${types}.`, suggestion);
}
