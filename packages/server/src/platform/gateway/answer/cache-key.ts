import type { Compiled } from '@fanion/oql';
import type { HiddenPlace, TelemetryScope } from '../../scoped-telemetry.ts';
import type { Question } from '../question.ts';

/**
 * The query with its window, parameters and bound changes. The statement of a query would contain the present time, up to which a bucket that is
 * not over counts; a caller accepts how old that is along with the answer.
 */
export function keyOf(
  scope: TelemetryScope,
  question: Question,
  { normalized, window, params, changes }: Compiled,
  form: string,
  hidden: readonly HiddenPlace[],
): string {
  const { workspace, project, environment } = scope;
  const bound = changes && params[changes.parameter]?.value;
  const asked = [normalized, question.params, String(window.fromNs), String(window.toNs), bound];
  return JSON.stringify([workspace, project, environment, question.limit, question.hints, form, asked, hidden]);
}
