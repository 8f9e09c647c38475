import { fail } from '../../../platform/fail.ts';
import { type ModelLimits, problemsOf } from './model-rules.ts';

/** More would make the answer larger than the request. */
const maxDetails = 50;

/** Throws `DASHBOARD_INVALID` with what is wrong with panels and variables beyond their form. */
export function refuseInvalid(model: Parameters<typeof problemsOf>[0], limits: ModelLimits): void {
  const problems = problemsOf(model, limits);
  const [first] = problems;
  if (first === undefined) return;
  const reason = `${first.path}: ${first.message}`;
  throw fail('DASHBOARD_INVALID', { reason }, { details: problems.slice(0, maxDetails) });
}
