import type { Compiled } from '@fanion/oql';
import type { RecentPoints } from '../../recent-points/index.ts';
import type { TelemetryScope } from '../../scoped-telemetry.ts';
import type { AnswerReader, ReadAnswer } from '../answer/answer-reader.ts';
import { boundParameters } from '../plan/bound-parameters.ts';
import type { Planned } from '../plan/planner.ts';
import type { Budget } from '../question.ts';
import type { Lane } from './lanes.ts';
import type { Reads } from './reads.ts';
import { recentAnswer } from './recent-answer.ts';

/** Of people. Alert rules and jobs ask the store: they would keep metrics in memory that nobody waits for. */
const recentLanes: ReadonlySet<Lane> = new Set(['interactive', 'dashboard']);

/** Runs a statement and reads its answer. */
export async function runStatement(
  { clickhouse, limits, fenced, pass }: Reads,
  scope: TelemetryScope,
  { plan, areTexts }: Pick<Planned, 'plan' | 'areTexts'>,
  limit: number,
  budget: Budget,
  read: AnswerReader['read'],
): Promise<ReadAnswer> {
  const applied = { ...limits, maxResultRows: limit + 1, ...budget.limits };
  const { sql, params } = (areTexts && plan.ofTexts) || plan;
  return pass(scope, budget, applied, async ({ signal, queryId }) => {
    const { stream } = await clickhouse.open(sql, {
      params: boundParameters(params),
      settings: { ...plan.settings, ...(await fenced(scope)) },
      limits: applied,
      signal,
      queryId: queryId(),
    });
    const { maxResultBytes, maxRowBytes } = applied;
    return read(stream, { columns: plan.columns, limit, limits: { maxResultBytes, maxRowBytes } }, signal);
  });
}

/** The answer from recent points in memory; undefined: the store has to be asked. */
export async function runFromMemory(
  { limits, pass, hiddenPlaces }: Reads,
  recent: Pick<RecentPoints, 'asked' | 'answer'> | undefined,
  scope: TelemetryScope,
  { recent: question, columns }: Compiled,
  limit: number,
  budget: Budget,
): Promise<ReadAnswer | undefined> {
  if (!recentLanes.has(budget.lane)) return undefined;
  // Rows of removed places are in no answer. Nothing is kept of a workspace while it has some.
  if (question === undefined || (await hiddenPlaces.of(scope.workspace)).length > 0) return undefined;
  if (recent?.asked(scope.workspace, question) !== true) return undefined;
  const applied = { ...limits, ...budget.limits };
  return pass(scope, budget, applied, async () => {
    const answer = await recent.answer({ workspace: scope.workspace, question, limit: limit + 1 }, budget.signal);
    return answer && recentAnswer(answer, { columns, limit, limits: applied });
  });
}
