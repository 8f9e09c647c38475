import type { DashboardModel, DashboardPanel, QueryLanguage } from '@fanion/contract';
import type { BoundVariable } from '@fanion/oql';
import { Failure } from '../../../platform/fail.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import { problemOf } from '../../telemetry/promql/index.ts';
import type { QueryScope, QueryService } from '../../telemetry/query/index.ts';
import { type DashboardData, flagOf, hasQuery, questionOf } from './data.ts';
import { listExperimentIds, listFlagPlaces, listSloIds } from './names-store.ts';

/** More would not be read. */
const mostWarnings = 20;

/** Where the flags are that a dashboard may name. */
export interface FlagReach {
  /** Projects whose flags the caller may read; undefined: all. Flags of others do not exist for them. */
  readonly readable: readonly string[] | undefined;
  /** The project that panels read; undefined: several. */
  readonly projectId: string | undefined;
}

/**
 * What a saved dashboard will not show, panel by panel: a query that OQL refuses, an SLO, an experiment or a flag that does not
 * exist. It is saved all the same: a draft may be unfinished, and a file may be applied before what it names.
 */
export async function warningsOf(
  { db, queries, data }: { db: Executor; queries: Pick<QueryService, 'validate'>; data: DashboardData },
  scope: QueryScope,
  { panels, variables, time }: Pick<DashboardModel, 'panels' | 'variables' | 'time'>,
  flags: FlagReach,
  signal: AbortSignal,
): Promise<string[]> {
  const ids = (of: 'slo' | 'experiment') => panels.flatMap((panel) => panel[of] ?? []);
  const known = new Set([
    ...(await listSloIds(db, scope.workspace.id, ids('slo'))),
    ...(await listExperimentIds(db, scope.workspace.id, ids('experiment'))),
  ]);
  const judged = new Map<string, string | undefined>();
  const judge = async (text: string, language: QueryLanguage | undefined): Promise<string | undefined> => {
    if (language === 'promql') return problemOf(text);
    try {
      const { diagnostics } = await queries.validate(scope, text, signal);
      return diagnostics.find(({ severity }) => severity === 'error')?.message;
    } catch (error) {
      // The dashboard is saved already. A text that cannot be read now is judged when the panel asks it.
      if (error instanceof Failure) return undefined;
      throw error;
    }
  };
  const { bound, boundFor } = data.preparedFor({ definitions: variables, variables: {}, ...time });
  const bind = data.bindFor(scope, signal);
  const flagProblem = await flagProblems(db, scope.workspace.id, panels, bound, flags);
  const warnings: string[] = [];
  for (const panel of panels) {
    if (warnings.length >= mostWarnings) break;
    const warn = (why: string) => warnings.push(`The panel ${JSON.stringify(panel.title || panel.id)} ${why}`);
    if (panel.slo !== undefined && !known.has(panel.slo)) warn(`names an SLO that does not exist: ${panel.slo}`);
    if (panel.experiment !== undefined && !known.has(panel.experiment))
      warn(`names an experiment that does not exist: ${panel.experiment}`);
    for (const problem of flagProblem(panel)) warn(problem);
    const repeated = panel.repeat?.variable;
    if (repeated !== undefined && !variables.some(({ name }) => name === repeated))
      warn(`repeats by $${repeated}, which is no variable of the dashboard`);
    if (!hasQuery(panel)) continue;
    const question = await questionOf(panel, boundFor(panel), bind);
    if (question instanceof Failure) {
      warn(`cannot be read: ${question.message}`);
      continue;
    }
    for (const { text } of question.series ?? [question]) {
      if (!judged.has(text)) judged.set(text, await judge(text, question.language));
      const wrong = judged.get(text);
      if (wrong !== undefined) warn(`has an invalid query: ${wrong}`);
    }
  }
  return warnings;
}

/** What is wrong with the flags that a panel names. */
async function flagProblems(
  db: Executor,
  workspaceId: string,
  panels: readonly DashboardPanel[],
  bound: ReadonlyMap<string, BoundVariable>,
  { readable, projectId }: FlagReach,
): Promise<(panel: DashboardPanel) => string[]> {
  const splitOf = (panel: DashboardPanel): string | undefined => {
    const flag = panel.split && hasQuery(panel) ? flagOf(panel.split.flag, bound) : undefined;
    // Why a panel cannot be split is a warning about its query.
    return flag instanceof Failure ? undefined : flag;
  };
  const keys = new Set(panels.flatMap((panel) => [splitOf(panel) ?? [], panel.flag?.key ?? []].flat()));
  const places = await listFlagPlaces(db, workspaceId, readable, [...keys]);
  return (panel) => {
    const problems: string[] = [];
    const split = splitOf(panel);
    const isThere = (key: string) =>
      places.some(({ flag, ...at }) => flag === key && (projectId ?? at.projectId) === at.projectId);
    if (split !== undefined && !isThere(split))
      problems.push(
        `is split by a flag that does not exist: ${split}. It shows only evaluations that were sent over OTLP`,
      );
    if (panel.flag === undefined) return problems;
    const { project, environment, key } = panel.flag;
    const found = places.filter((at) => at.flag === key && (at.project === project || at.projectId === project));
    if (found.length === 0) problems.push(`names a flag that does not exist: ${key} in the project ${project}`);
    else if (!found.some((at) => at.environment === environment))
      problems.push(`names an environment that does not exist: ${environment} in the project ${project}`);
    return problems;
  };
}
