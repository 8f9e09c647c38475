import type { RouteBody, silencesRoutes } from '@fanion/contract';
import type { WorkspaceRef } from '../../../http/caller.ts';
import { createBreath } from '../../../platform/breath.ts';
import { dateOf } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import { isId } from '../../../platform/ids.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import { parseTime } from '../../../platform/time-window.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import { audit, existing, newRow, presentCreation, type Writer, writing } from '../../identity/resources/index.ts';
import { type CompiledMatchers, compileStored, type ReadMatchers, readMatchers } from '../matchers/index.ts';
import { statusOf, timesProblem } from './rules.ts';
import { expireSilence, type FiringRow, listCurrentMatchers, listFiring, type SilenceRow, silences } from './store.ts';

/** Silences of a workspace that are not over. */
const maxSilences = 1_000;
/** Instructions of all their patterns: what comparing one alert with all of them costs, some 50 ms for the longest labels. */
const maxSize = 10_000;
const maxPreviewed = 100;

type Parts = Pick<FeatureDependencies, 'db' | 'clock'>;
type Routes = typeof silencesRoutes;
type Input = RouteBody<Routes['previewSilence']>['matchers'];

/** Silences, each with how many of the alerts that fire now it matches. */
export async function presentAll({ db, clock }: Parts, workspace: WorkspaceRef, rows: readonly SilenceRow[]) {
  const now = clock.now();
  const current = rows.filter((row) => statusOf(timesOf(row), now) !== 'expired');
  const compiled = current.map(({ matchers }) => compileStored(matchers));
  const counts = await matchedBy(db, workspace.id, compiled);
  const matched = new Map(current.map(({ id }, i) => [id, counts[i] ?? 0]));
  return rows.map((row) => present(row, matched.get(row.id) ?? 0, now));
}

export async function preview({ db }: Pick<Parts, 'db'>, workspace: WorkspaceRef, input: Input) {
  const { compiled } = read(input);
  const breath = createBreath();
  const instances: FiringRow[] = [];
  let matched = 0;
  for (const alert of await listFiring(db, workspace.id)) {
    const labels = { ...alert.labels, alertname: alert.rule_name };
    if (compiled.match(labels) && ++matched <= maxPreviewed) instances.push({ ...alert, labels });
    await breath();
  }
  return { matched, instances };
}

export async function create(
  parts: Parts,
  writer: Writer,
  { matchers: input, starts_at, ends_at, comment }: RouteBody<Routes['createSilence']>,
) {
  const { workspace } = writer;
  const { matchers, compiled } = read(input);
  const first = newRow(writer, parts.clock);
  const now = first.created_at;
  const ms = (text: string | number, name: string) => Number(parseTime(text, name, now.getTime()) / 1_000_000n);
  const times = {
    startsAt: starts_at === undefined ? now.getTime() : ms(starts_at, 'starts_at'),
    endsAt: ms(ends_at, 'ends_at'),
  };
  const problem = timesProblem(times, now.getTime());
  if (problem !== undefined) throw invalid(problem.path, problem.message);
  const values = { matchers, starts_at: new Date(times.startsAt), ends_at: new Date(times.endsAt), comment };
  const row = await writing(parts.db, workspace, async (trx) => {
    const current = await listCurrentMatchers(trx, workspace.id, now);
    if (current.length >= maxSilences) throw fail('LIMIT_REACHED', { limit: maxSilences, resource: 'silences' });
    const size = current.reduce((sum, one) => sum + compileStored(one).size, compiled.size);
    if (size > maxSize)
      throw invalid('matchers', `makes the patterns of all silences too large: ${size} instructions of ${maxSize}`);
    const made = { ...first, ...values };
    await silences.insert(trx, made);
    const entry = { action: 'silences.create', name: comment.slice(0, 200), after: values };
    await audit(trx, writer, 'silence', first, entry, now);
    return existing(await silences.find(trx, workspace.id, first.id), 'silence');
  });
  const [silence] = await presentAll(parts, workspace, [row]);
  return existing(silence, 'silence');
}

export async function expire(
  { db, clock }: Parts,
  writer: Pick<Writer, 'workspace' | 'origin'>,
  id: string,
): Promise<undefined> {
  const now = dateOf(clock);
  return db.transaction().execute(async (trx) => {
    const found = isId(id) ? await silences.find(trx, writer.workspace.id, id) : undefined;
    const { matchers, starts_at, ends_at, comment } = existing(found, 'silence');
    await expireSilence(trx, id, now);
    const before = { matchers, starts_at, ends_at, comment };
    const entry = { action: 'silences.remove', name: comment.slice(0, 200), before };
    await audit(trx, writer, 'silence', { id }, entry, now);
    return undefined;
  });
}

/** How many of the alerts that fire now each of the matchers matches. */
async function matchedBy(db: Executor, workspaceId: string, matchers: readonly CompiledMatchers[]): Promise<number[]> {
  const counts = matchers.map(() => 0);
  if (matchers.length === 0) return counts;
  const breath = createBreath();
  for (const alert of await listFiring(db, workspaceId)) {
    const labels = { ...alert.labels, alertname: alert.rule_name };
    for (const [i, one] of matchers.entries()) if (one.match(labels)) counts[i] = (counts[i] ?? 0) + 1;
    await breath();
  }
  return counts;
}

function read(input: Input): ReadMatchers {
  const matchers = readMatchers(input, 'matchers');
  if ('message' in matchers) throw invalid(matchers.path, matchers.message);
  if (matchers.compiled.match({}))
    throw invalid('matchers', 'match every alert: at least one matcher must refuse the empty label');
  return matchers;
}

function invalid(path: string, message: string) {
  return fail('SILENCE_INVALID', { reason: `${path} ${message}` }, { details: [{ path, message }] });
}

function timesOf({ starts_at, ends_at }: SilenceRow) {
  return { startsAt: starts_at.getTime(), endsAt: ends_at.getTime() };
}

function present(row: SilenceRow, matched: number, now: number) {
  return {
    id: row.id,
    status: statusOf(timesOf(row), now),
    matchers: row.matchers,
    starts_at: row.starts_at.toISOString(),
    ends_at: row.ends_at.toISOString(),
    comment: row.comment,
    matched,
    ...presentCreation(row),
  };
}
