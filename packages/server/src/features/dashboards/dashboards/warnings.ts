import type { DashboardModel } from '@fanion/contract';
import { Failure } from '../../../platform/fail.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { QueryScope, QueryService } from '../../telemetry/query/index.ts';
import { type DashboardData, hasQuery, questionOf } from './data.ts';
import { listExperimentIds, listSloIds } from './names-store.ts';

/** More would not be read. */
const mostWarnings = 20;

/**
 * What a saved dashboard will not show, panel by panel: a query that OQL refuses, an SLO or an experiment that the workspace
 * does not have. It is saved all the same: a draft may be unfinished, and a file may be applied before what it names.
 */
export async function warningsOf(
  { db, queries, data }: { db: Executor; queries: Pick<QueryService, 'validate'>; data: DashboardData },
  scope: QueryScope,
  { panels, variables, time }: Pick<DashboardModel, 'panels' | 'variables' | 'time'>,
  signal: AbortSignal,
): Promise<string[]> {
  const ids = (of: 'slo' | 'experiment') => panels.flatMap((panel) => panel[of] ?? []);
  const known = new Set([
    ...(await listSloIds(db, scope.workspace.id, ids('slo'))),
    ...(await listExperimentIds(db, scope.workspace.id, ids('experiment'))),
  ]);
  const judged = new Map<string, string | undefined>();
  const judge = async (text: string): Promise<string | undefined> => {
    try {
      const { diagnostics } = await queries.validate(scope, text, signal);
      return diagnostics.find(({ severity }) => severity === 'error')?.message;
    } catch (error) {
      // The dashboard is saved already. A text that cannot be read now is judged when the panel asks it.
      if (error instanceof Failure) return undefined;
      throw error;
    }
  };
  const { bound } = data.preparedFor({ definitions: variables, variables: {}, ...time });
  const warnings: string[] = [];
  for (const panel of panels) {
    if (warnings.length >= mostWarnings) break;
    const warn = (why: string) => warnings.push(`The panel ${JSON.stringify(panel.title || panel.id)} ${why}`);
    if (panel.slo !== undefined && !known.has(panel.slo)) warn(`names an SLO that does not exist: ${panel.slo}`);
    if (panel.experiment !== undefined && !known.has(panel.experiment))
      warn(`names an experiment that does not exist: ${panel.experiment}`);
    if (!hasQuery(panel)) continue;
    const question = questionOf(panel, bound);
    if (question instanceof Failure) {
      warn(`cannot be read: ${question.message}`);
      continue;
    }
    const { text } = question;
    if (!judged.has(text)) judged.set(text, await judge(text));
    const wrong = judged.get(text);
    if (wrong !== undefined) warn(`has an invalid query: ${wrong}`);
  }
  return warnings;
}
