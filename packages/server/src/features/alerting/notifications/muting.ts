import { createBreath } from '../../../platform/breath.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import {
  compileInhibitionRule,
  createInhibitor,
  type Inhibitor,
  listInhibitionRules,
} from '../inhibition-rules/index.ts';
import { type CompiledMatchers, compileStored, type Labels } from '../matchers/index.ts';
import { listActiveSilences } from '../silences/index.ts';
import { listFiring } from './groups-store.ts';

/** What holds an alert back. */
export interface Muted {
  /** Ids of silences. */
  readonly silences: readonly string[];
  /** Ids of alerts. */
  readonly alerts: readonly string[];
}

export interface Muting {
  of(alert: { readonly id: string; readonly labels: Labels }): Muted;
}

/** Compiled matchers are kept by the text that they were compiled from. */
const maxCompiled = 5_000;
const compiled = new Map<string, CompiledMatchers>();

function compile(matchers: Parameters<typeof compileStored>[0]): CompiledMatchers {
  const text = JSON.stringify(matchers);
  const known = compiled.get(text);
  if (known !== undefined) return known;
  const made = compileStored(matchers);
  if (compiled.size >= maxCompiled) compiled.clear();
  compiled.set(text, made);
  return made;
}

/** Reads the silences and inhibitions of workspaces as they are now. */
export async function loadMuting(
  db: Executor,
  workspaceIds: readonly string[],
  now: Date,
): Promise<ReadonlyMap<string, Muting>> {
  const silences = new Map<string, { id: string; matchers: CompiledMatchers }[]>();
  for (const { id, workspace_id, matchers } of await listActiveSilences(db, workspaceIds, now)) {
    const known = silences.get(workspace_id) ?? [];
    known.push({ id, matchers: compile(matchers) });
    silences.set(workspace_id, known);
  }
  const inhibitors = await loadInhibitors(db, workspaceIds);
  return new Map(
    workspaceIds.map((workspaceId) => {
      const held = silences.get(workspaceId) ?? [];
      const inhibitor = inhibitors.get(workspaceId);
      const muting: Muting = {
        of: ({ id, labels }) => ({
          silences: held.filter(({ matchers }) => matchers.match(labels)).map((silence) => silence.id),
          alerts: inhibitor?.inhibitedBy({ id, labels }).alerts ?? [],
        }),
      };
      return [workspaceId, muting];
    }),
  );
}

async function loadInhibitors(db: Executor, workspaceIds: readonly string[]): Promise<ReadonlyMap<string, Inhibitor>> {
  const rules = await listInhibitionRules(db, workspaceIds);
  const concerned = [...new Set(rules.map(({ workspace_id }) => workspace_id))];
  const firing = await listFiring(db, concerned);
  const breath = createBreath();
  const inhibitors = new Map<string, Inhibitor>();
  for (const workspaceId of concerned) {
    const alerts = firing
      .filter(({ workspace_id }) => workspace_id === workspaceId)
      .map(({ id, labels, rule_name }) => ({ id, labels: { ...labels, alertname: rule_name } }));
    const own = rules.filter(({ workspace_id }) => workspace_id === workspaceId).map(compileInhibitionRule);
    inhibitors.set(workspaceId, createInhibitor(own, alerts));
    await breath();
  }
  return inhibitors;
}
