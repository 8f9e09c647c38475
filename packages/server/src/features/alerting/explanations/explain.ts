import type { explainAlertInstance, RouteResponse } from '@fanion/contract';
import { durationMs } from '../../../platform/durations.ts';
import { Failure } from '../../../platform/fail.ts';
import type { Answer, Gateway } from '../../../platform/gateway/index.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { formatNs, type Window } from '../../../platform/time-window.ts';
import { unknown, type WhyService } from '../../telemetry/why/index.ts';
import type { AlertRuleRow, NamedInstanceRow } from '../alert-rules/index.ts';
import { listFlagChanges } from '../flag-changes-store.ts';
import { maxExplainedCharacters, type Subject, subjectOf } from './subject-rules.ts';

export type Explanation = RouteResponse<typeof explainAlertInstance>;

const hourMs = 3_600_000;
/** What is compared begins so long before the time of the rule's query, at least, to contain the time before the onset. */
const leastWindowMs = hourMs;
/** Times the span of the rule's query. */
const spans = 4;
/** An explanation is asked for again while somebody looks at it, and its window does not move. */
const maxAgeMs = 60_000;
const shown = { traces: 5, changes: 20 };

export interface ExplainParts {
  readonly gateway: Gateway;
  readonly db: Database;
  readonly why: WhyService;
  /** Longest run of each query. */
  readonly maxSeconds: number;
}

/**
 * Explains an instance by what its rows, their traces and the changes before it have in common.
 * Throws what the gateway throws if the store does not answer.
 */
export async function explain(
  { gateway, db, why, maxSeconds }: ExplainParts,
  rule: AlertRuleRow,
  instance: Pick<NamedInstanceRow, 'labels' | 'active_since' | 'fired_at' | 'updated_at'>,
  { lane, signal }: { lane: 'interactive' | 'alert'; signal: AbortSignal },
): Promise<Explanation> {
  const { definition } = rule;
  const toMs = (instance.fired_at ?? instance.active_since ?? instance.updated_at).getTime();
  const spanMs = Math.max(
    leastWindowMs,
    spans * (durationMs(definition.window) + durationMs(definition.offset ?? '0s')),
  );
  const window = windowOf(toMs - spanMs, toMs);
  const scope = {
    workspace: rule.workspace_number,
    project: rule.project_number,
    environment: rule.environment ?? undefined,
  };
  const budget = { lane, signal, maxAgeMs, limits: { maxSeconds } } as const;
  const ask = (oql: string, limit: number, over = window) => gateway.ask(scope, { oql, window: over, limit }, budget);
  const subject = subjectOf({ query: rule.query, ...definition, ...definition.condition }, instance.labels);

  const flagChanges = listFlagChanges(
    db,
    { projectId: rule.project_id, environment: rule.environment },
    { from: new Date(toMs - hourMs), to: new Date(toMs) },
    shown.changes,
  );
  const service = instance.labels['service.name'];
  const [causes, traces, deploys, changed] = await Promise.all([
    subject?.failing === undefined
      ? unknown(unexplained(subject))
      : why.explain(
          {
            scope,
            place: {
              workspaceId: rule.workspace_id,
              project: { id: rule.project_id, key: rule.project },
              readable: undefined,
              environment: rule.environment ?? undefined,
            },
            source: subject.source,
            rows: subject.rows,
            selected: subject.failing,
            window,
          },
          budget,
        ),
    subject === undefined ? [] : tracesOf(subject, ask),
    service === undefined ? [] : deploysOf(service, toMs, ask),
    flagChanges,
  ]);
  return {
    window: { from: formatNs(window.fromNs), to: formatNs(window.toNs) },
    failing: subject?.failing ?? null,
    why: causes,
    traces,
    changes: [...changed, ...deploys].sort((a, b) => b.time.localeCompare(a.time)).slice(0, shown.changes),
  };
}

/** Why an instance has no failing rows that could be compared. */
function unexplained(subject: Subject | undefined): string {
  return subject === undefined
    ? `Only rules over spans or logs that are filtered and then aggregated, by a query of at most ${maxExplainedCharacters} characters, can be compared row by row.`
    : 'The rule counts all rows alike, so there are no others to compare them with. A rule with `ratio(CONDITION)` can be explained.';
}

type Ask = (oql: string, limit: number, over?: Window) => Promise<Answer>;

async function tracesOf({ source, rows, failing }: Subject, ask: Ask): Promise<Explanation['traces']> {
  const where = failing === undefined ? 'trace_id exists' : `(${failing}) and trace_id exists`;
  const [sort, name] = source === 'spans' ? ['-duration', 'name'] : ['-time', 'body'];
  const oql = `${rows} | where ${where} | sort ${sort}, trace_id | fields trace_id, time, service.name, ${name} | dedup trace_id | limit ${shown.traces}`;
  const answer = await optional(ask(oql, shown.traces));
  return (answer?.rows ?? []).map(([traceId, time, service, text]) => ({
    trace_id: String(traceId),
    time: String(time),
    service: typeof service === 'string' ? service : null,
    name: textOf(text).slice(0, 200),
  }));
}

/** The first requests of versions in the last hour that had none in the hour before it. */
async function deploysOf(service: string, toMs: number, ask: Ask): Promise<Explanation['changes']> {
  const oql = `spans | where service.name == ${JSON.stringify(service)} and resource.service.version exists | stats first=min(time) by resource.service.version`;
  const answer = await optional(ask(oql, 50, windowOf(toMs - 2 * hourMs, toMs)));
  const since = formatNs(BigInt(toMs - hourMs) * 1_000_000n);
  return (answer?.rows ?? []).flatMap(([version, first]) => {
    const time = String(first);
    if (time < since || answer?.rows.length === 1) return [];
    const detail = `version ${String(version)}`;
    return [{ time, kind: 'deploy' as const, name: service, detail, environment: null, actor: null }];
  });
}

/** One part of an explanation may be too expensive, or not apply to the rows; the others are still worth having. */
async function optional<T>(part: Promise<T>): Promise<T | undefined> {
  try {
    return await part;
  } catch (error) {
    if (error instanceof Failure && error.status === 422) return undefined;
    throw error;
  }
}

function windowOf(fromMs: number, toMs: number): Window {
  return { fromNs: BigInt(fromMs) * 1_000_000n, toNs: BigInt(toMs) * 1_000_000n };
}

function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
}
