import { type Clause, parseInstant } from '@fanion/flag-engine';
import { NotExpressible } from '../../features/flags/evaluation/index.ts';
import { differs, type Logic } from './logic.ts';

const own: Logic = { var: 'now' };
const seconds: Logic = { var: '$flagd.timestamp' };

/**
 * The attribute `now`, or else the time in milliseconds. flagd counts whole seconds, so a clause that compares with the beginning of a second reads the
 * beginning or the end of the current one.
 *
 * @throws NotExpressible
 */
export function readTime({ op, values }: Clause): Logic {
  const isStart = op === 'lt' || op === 'gte' || op === 'before';
  const isEnd = op === 'gt' || op === 'lte' || op === 'after';
  if (op !== 'exists' && !isStart && !isEnd)
    throw new NotExpressible(`compares the time by ${op}: compare it by before or after`);
  const isWhole = values.every((value) => (parseInstant(value) ?? 0) % 1_000 === 0);
  if (!isWhole) throw new NotExpressible('compares the time with a part of a second: use a whole second');
  const start: Logic = { '*': [seconds, 1_000] };
  // Where evaluators do not compile, the default of `var` does not replace null.
  return { if: [differs(own, null), own, isEnd ? { '+': [start, 999] } : start] };
}
