import type { Why as ShownWhy } from '@fanion/contract';
import type { z } from 'zod';
import { Failure } from '../../../platform/fail.ts';
import { type Gateway, JobThread } from '../../../platform/gateway/index.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { workerEntry } from '../../../platform/worker-entry.ts';
import { deployWindowMs, listDeploys, maxVersions } from '../../dashboards/annotations/index.ts';
import { compileFor } from '../query/index.ts';
import type { Why } from './answer.ts';
import { changeOf } from './change-rules.ts';
import { listFlagChanges, listRunning } from './changes-store.ts';
import type { Change, WhyInput } from './input.ts';
import { inputOf } from './input-rules.ts';
import { readNewErrors, readNewPatterns } from './novelties-store.ts';
import { present, tooFew, unknown } from './present-rules.ts';
import type { WhyBudget, WhyQuestion } from './question.ts';
import { namedFields, nounOf, shareOf } from './selection-rules.ts';
import { readItems, readVariants, shownOf } from './store.ts';

type Answer = z.output<typeof ShownWhy>;

/** Up to this many rows are read; of more, those of a sample of traces. */
const maxRows = 200_000;
const maxChanges = 200;
/** Longest run of the engine for one answer. 6,000 traces of a shop took up to 1.1 s on a loaded machine (`bench/why.ts`). */
const engineMs = 20_000;

const fieldsOf = {
  spans: ['service.name', 'name', 'kind', 'status', 'environment', 'scope.name'],
  logs: ['service.name', 'severity', 'event_name', 'environment', 'scope.name'],
} as const;

/** Ranks the causes of selections: the one answer to "why", wherever it is asked. */
export interface WhyService {
  /**
   * The verdict is `unknown` where the rows cannot be compared, or are too expensive to. Throws what the gateway throws if the
   * store does not answer or the condition is invalid.
   */
  explain(question: WhyQuestion, budget: WhyBudget): Promise<Answer>;
  stop(): Promise<void>;
}

interface Found<T> {
  readonly found: readonly T[];
  readonly warnings: readonly string[];
}

/** What can be left out, with a warning, where the store refuses it. */
async function optional<T>(what: string, read: Promise<readonly T[]>, signal: AbortSignal): Promise<Found<T>> {
  try {
    return { found: await read, warnings: [] };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof Failure)) throw error;
    return { found: [], warnings: [`${what} are not compared: ${error.message}`] };
  }
}

interface WhyParts {
  readonly gateway: Gateway;
  readonly db: Database;
}

export function createWhyService(parts: WhyParts): WhyService {
  const { gateway, db } = parts;
  const thread = new JobThread<WhyInput, Why>({
    entry: workerEntry('./worker', import.meta.url),
    budgetMs: engineMs,
    waiting: 16,
    tooLong: `ranking the causes takes longer than ${engineMs / 1000} seconds; narrow the rows or the time`,
  });

  async function explain(question: WhyQuestion, budget: WhyBudget): Promise<Answer> {
    const { scope, place } = question;
    const [{ items, found, flags, novelties, warnings: unread, defining }, { found: changes, warnings }] =
      await Promise.all([sampleOf(gateway, question, budget), changesOf(parts, question, budget)]);
    const selected = items.reduce((sum, [, one]) => sum + one, 0);
    const compared = { selected, others: items.length - selected };
    const few = tooFew(compared);
    if (few !== undefined) return unknown(few, compared);
    const input = inputOf({
      items,
      fields: found.slice(0, shownOf.fields),
      flags: flags.slice(0, shownOf.flags),
      changes,
      novelties,
      defining,
    });
    const why = await thread.run(input, { workspace: scope.workspace, signal: budget.signal });
    const blamed = why.suspects.flatMap(({ what }) => (what.kind === 'flag' ? [what.flag] : []));
    return present(why, compared, {
      noun: nounOf(defining),
      place,
      running: await listRunning(db, place, blamed),
      warnings: [
        ...warnings,
        ...unread,
        ...(found.length > shownOf.fields ? [`Only the ${shownOf.fields} most frequent attributes are compared.`] : []),
        ...(flags.length > shownOf.flags ? [`Only the ${shownOf.flags} most evaluated flags are compared.`] : []),
      ],
    });
  }

  return {
    async explain(question, budget) {
      try {
        return await explain(question, budget);
      } catch (error) {
        if (error instanceof Failure && error.status === 422) return unknown(error.message);
        throw error;
      }
    },
    stop: () => thread.stop(),
  };
}

async function sampleOf(gateway: Gateway, { scope, source, rows, selected, window }: WhyQuestion, budget: WhyBudget) {
  const { signal, limits } = budget;
  const ofTraces = typeof selected === 'string' ? undefined : selected;
  const condition = typeof selected === 'string' ? selected : 'false';
  const compile = (text: string) =>
    compileFor(
      text,
      { scope, window, limit: maxRows * 2, nowMs: Number(window.toNs / 1_000_000n) },
      { compiler: gateway.compiler, signal },
    );
  const counted = await gateway.ask(
    scope,
    { oql: `${rows} | stats n=count()`, window, limit: 1 },
    { lane: budget.lane, signal, ...(limits && { limits }) },
  );
  const share = shareOf(Number(counted.rows[0]?.[0] ?? 0), maxRows);
  const taken = [rows, ...(share === undefined ? [] : [`sample ${share.toFixed(6)}`])];
  const marked = [...taken, `extend in_selection=if(${condition}, 1, 0)`];
  const [conditions, ofFields, ofIds] = await Promise.all([
    compile(`${source} | where ${condition}`),
    compile(
      [...marked, `fields in_selection, trace_id, time, ${fieldsOf[source].join(', ')}, attributes, resource`].join(
        ' | ',
      ),
    ),
    compile([...marked, 'fields in_selection, trace_id'].join(' | ')),
  ]);
  const selecting = (compiled: typeof ofFields) => ({
    ...compiled,
    values: { ...compiled.values, ...ofTraces?.values },
    traces: ofTraces?.traces,
  });
  const [fields, traces] = [selecting(ofFields), selecting(ofIds)];
  const telemetry = gateway.lane(budget.lane);
  const [{ items, fields: found }, flags] = await Promise.all([
    readItems(telemetry, scope, fields, budget),
    readVariants(telemetry, scope, traces, window, budget),
  ]);
  // Not beside the others: a workspace has few queries at a time.
  const [patterns, errors] = await Promise.all([
    optional('New log patterns', readNewPatterns(telemetry, scope, traces, window, budget), signal),
    optional('New errors', readNewErrors(telemetry, scope, traces, window, budget), signal),
  ]);
  return {
    items,
    found,
    flags,
    novelties: [...patterns.found, ...errors.found.filter(({ ids }) => !ids.includes(ofTraces?.error ?? ''))],
    warnings: [...patterns.warnings, ...errors.warnings],
    defining: namedFields([...conditions.explain.fields.map(({ ref }) => ref), ...(ofTraces?.fields ?? [])]),
  };
}

async function deploysOf(
  gateway: Gateway,
  { scope, window }: WhyQuestion,
  { signal }: WhyBudget,
): Promise<Found<Change>> {
  const [fromMs, toMs] = [Number(window.fromNs / 1_000_000n), Number(window.toNs / 1_000_000n)];
  if (toMs - fromMs > deployWindowMs)
    return { found: [], warnings: ['Deploys are not compared: the time is longer than 7 days.'] };
  const listed = listDeploys(gateway, { ...scope, key: null }, { fromMs, toMs, service: undefined }, signal);
  const { found, warnings } = await optional(
    'Deploys',
    listed.then((deploys) => [deploys]),
    signal,
  );
  const [deploys = []] = found;
  return {
    found: deploys.map(({ service, version, time }) => ({
      kind: 'deploy' as const,
      service: service ?? '',
      version: version ?? '',
      atMs: Date.parse(time),
    })),
    warnings: found.includes(undefined)
      ? [`Deploys are not compared: there are more than ${maxVersions} versions.`]
      : warnings,
  };
}

async function changesOf({ gateway, db }: WhyParts, question: WhyQuestion, budget: WhyBudget): Promise<Found<Change>> {
  const { place, window } = question;
  const timeOf = (ns: bigint) => new Date(Number(ns / 1_000_000n));
  const [flags, deploys] = await Promise.all([
    listFlagChanges(db, place, { from: timeOf(window.fromNs), to: timeOf(window.toNs) }, maxChanges + 1),
    deploysOf(gateway, question, budget),
  ]);
  return {
    found: [...flags.slice(0, maxChanges).map(changeOf), ...deploys.found],
    warnings: [
      ...(flags.length > maxChanges ? [`Only the latest ${maxChanges} changes of flags are compared.`] : []),
      ...deploys.warnings,
    ],
  };
}
