import type { AlertDefinition } from '@fanion/contract';
import { newId } from '../../../../platform/ids.ts';
import { createLog } from '../../../../platform/log.ts';
import type { Database } from '../../../../platform/postgres/database.ts';
import { type Tenant, testControlPlane, testOrigin } from '../../../testing/control-plane.ts';
import { saveInstances } from '../../alert-rules/instances-store.ts';
import { shardOf } from '../../alert-rules/spread.ts';
import type { Instance } from '../../alert-rules/step-rules.ts';
import { insertRule } from '../../alert-rules/store.ts';
import type { ChannelRow, ChannelSender } from '../../channels/index.ts';
import { create as createInhibitionRule } from '../../inhibition-rules/service.ts';
import * as policies from '../../routing-policies/service.ts';
import * as silences from '../../silences/service.ts';
import { createNotifications, type Notifications } from '../index.ts';

export const testDefinition: AlertDefinition = {
  kind: 'threshold',
  condition: { op: '>', threshold: 0, for: '0s', keep_firing_for: '0s' },
  change: null,
  every: '10s',
  offset: '0s',
  window: '1m',
  labels: {},
  annotations: {},
  runbook_url: null,
  no_data: 'ok',
  missing_series: 'resolve',
  on_error: 'keep',
};

/** Posts messages as they are to `config.url`: what channels do is tested there. */
const plainSender: ChannelSender = {
  render: (_channel, message) => JSON.stringify(message),
  async send(channel, body, key, signal) {
    const url = String(channel.config.url);
    try {
      const answer = await fetch(url, { method: 'POST', body, headers: { 'idempotency-key': key }, signal });
      const text = await answer.text();
      const { status } = answer;
      if (status < 300) return { kind: 'delivered', status, answer: text };
      const error = `status ${status}`;
      const after = answer.headers.get('retry-after');
      if (status === 429 || status >= 500)
        return {
          kind: 'retry',
          status,
          error,
          answer: text,
          ...(after !== null && { retryAfterMs: Number(after) * 1_000 }),
        };
      return { kind: 'final', status, error, answer: text };
    } catch (error) {
      return { kind: 'retry', status: null, error: String(error) };
    }
  },
};

type Labels = Readonly<Record<string, string>>;

/** A workspace with rules whose alerts a test fires and resolves, on a clock that it turns. */
export async function alertingWorld(db: Database) {
  const plane = testControlPlane(db);
  const { clock } = plane;
  const tenant = await plane.addTenant('ada');
  const dependencies = { db, clock };
  const by = { ...tenant, origin: testOrigin };
  const rules = new Map<string, string>();
  const engines: Notifications[] = [];

  function notifications(changes: Partial<Parameters<typeof createNotifications>[0]> = {}): Notifications {
    const made = createNotifications({
      db,
      clock,
      log: createLog('silent'),
      holder: 'one',
      sender: plainSender,
      externalUrl: 'https://fanion.example.com',
      maxAlerts: 100,
      explained: 3,
      explainMs: 8_000,
      concurrency: 8,
      channelConcurrency: 4,
      triedForMs: 3_600_000,
      random: () => 1,
      ...changes,
    });
    engines.push(made);
    return made;
  }
  const own = notifications();

  async function addRule(
    name: string,
    definition: Partial<AlertDefinition> = {},
    of: Tenant = tenant,
  ): Promise<string> {
    const id = newId(clock.ms);
    await insertRule(db, {
      id,
      workspace_id: of.workspace.id,
      project_id: of.project.id,
      environment: null,
      shard: shardOf(id),
      name,
      query: 'spans | stats value=count()',
      definition: { ...testDefinition, ...definition },
      enabled: true,
      created_by: of.caller.user.id,
      created_at: new Date(clock.ms),
    });
    return id;
  }

  async function set(isFiring: boolean, labels: Labels): Promise<string> {
    const { alertname = 'alert', ...others } = labels;
    const ruleId = rules.get(alertname) ?? (await addRule(alertname));
    rules.set(alertname, ruleId);
    const identity = JSON.stringify(Object.entries(others).sort());
    const instance: Instance = {
      identity,
      labels: others,
      state: isFiring ? 'firing' : 'resolved',
      value: 1,
      activeSince: clock.ms,
      firedAt: clock.ms,
      resolvedAt: isFiring ? null : clock.ms,
      recoveringSince: null,
      missed: 0,
      turns: [],
    };
    return db.transaction().execute(async (trx) => {
      const now = new Date(clock.ms);
      const row = { id: ruleId, workspace_id: tenant.workspace.id };
      const id = (await saveInstances(trx, row, [instance], [], now)).get(identity) ?? '';
      const alert = { instanceId: id, labels: { ...others, alertname }, startedAt: clock.ms };
      if (isFiring) await own.fired(trx, tenant.workspace.id, [alert], now);
      return id;
    });
  }

  const routed = { ...dependencies, notifications: own };
  return {
    ...plane,
    tenant,
    addPolicy: (draft: Parameters<typeof policies.create>[2]) => policies.create(routed, by, draft),
    expire: (id: string) => silences.expire(dependencies, by, id),
    inhibit: (draft: Parameters<typeof createInhibitionRule>[2]) => createInhibitionRule(dependencies, by, draft),
    notifications,
    /** The only one, unless a test makes others. */
    own,
    addRule,
    rules,
    fire: (labels: Labels) => set(true, labels),
    resolve: (labels: Labels) => set(false, labels),

    async addChannel(name: string, url: string, changes: { send_resolved?: boolean; fallback?: string } = {}) {
      const id = newId(clock.ms);
      await db
        .insertInto('channels')
        .values({
          id,
          workspace_id: tenant.workspace.id,
          name,
          kind: 'webhook',
          config: JSON.stringify({ url }),
          secrets: null,
          send_resolved: changes.send_resolved ?? true,
          fallback: changes.fallback ?? null,
          created_by: null,
          created_at: new Date(clock.ms),
          updated_at: new Date(clock.ms),
        })
        .execute();
      return id;
    },

    async root(): Promise<string> {
      return (await policies.list(routed, tenant.workspace))[0]?.id ?? '';
    },

    /** Changes the root policy. */
    async route(patch: Parameters<typeof policies.update>[3]): Promise<void> {
      const [root] = await policies.list(routed, tenant.workspace);
      await policies.update(routed, by, root?.id ?? '', patch);
    },

    async silence(matchers: Parameters<typeof silences.preview>[2], startsInMs: number, endsInMs: number) {
      const [starts_at, ends_at] = [clock.ms + startsInMs, clock.ms + endsInMs];
      const body = { matchers: [...matchers], starts_at, ends_at, comment: 'a test' };
      return silences.create(dependencies, by, body);
    },

    async channel(id: string): Promise<Pick<ChannelRow, 'health' | 'health_error'>> {
      return db
        .selectFrom('channels')
        .select(['health', 'health_error'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
    },

    async stop() {
      for (const engine of engines) await engine.engine.stop();
    },
  };
}
export type AlertingWorld = Awaited<ReturnType<typeof alertingWorld>>;
