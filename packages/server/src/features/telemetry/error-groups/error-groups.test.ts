import { permissionNames } from '@fanion/contract';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorGroups0022 } from '../../../platform/postgres/migrations/0022-error-groups.ts';
import { startTelemetryWorld, type TelemetryTenant, type TelemetryWorld } from '../../../testing/telemetry-world.ts';
import { addMember, newWorkspace, signUp } from '../../../testing/test-client.ts';
import { sharedTestServer } from '../../../testing/test-server.ts';

let world: TelemetryWorld;
let ada: TelemetryTenant;
/** Well in the past and rounded to an hour, so that no test depends on when it runs. */
const base = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 2 * 3_600_000;
const minute = 60_000;

const node = (line: number, file = 'pay.js') =>
  `TypeError: Cannot read properties of undefined (reading 'a${line}')\n    at charge (/srv/app/${file}:${line}:7)\n    at run (/srv/app/main.js:${line + 3}:11)`;

interface Thrown {
  readonly at: number;
  readonly service?: string;
  readonly version?: string;
  readonly type?: string;
  readonly message?: string;
  readonly stack?: string;
  readonly trace?: string;
  readonly span?: string;
}

const text = (ms: number) => new Date(ms).toISOString().replace('T', ' ').replace('Z', '');
const place = (of: TelemetryTenant) => ({
  workspace: of.numbers.workspace,
  project: of.numbers.project,
  environment: 'production',
  retention_days: 3650,
});
const exceptionOf = ({ type = 'TypeError', message = 'it broke', stack = '' }: Thrown) => ({
  'exception.type': type,
  'exception.message': message,
  ...(stack !== '' && { 'exception.stacktrace': stack }),
});
/** An id of that many equal bytes. */
const idOf = (letter: string, bytes: number) => letter.repeat(bytes);
const hexOf = (letter: string) => Buffer.from(idOf(letter, 16)).toString('hex');

const span = (of: TelemetryTenant, thrown: Thrown) => ({
  ...place(of),
  time: text(base + thrown.at * minute),
  service: thrown.service ?? 'payment',
  name: 'charge',
  resource: { 'service.version': thrown.version ?? '1' },
  trace_id: idOf(thrown.trace ?? 'a', 16),
  span_id: idOf(thrown.span ?? 'a', 8),
  event_time: [text(base + thrown.at * minute)],
  event_name: ['exception'],
  event_attributes: [exceptionOf(thrown)],
});
const log = (of: TelemetryTenant, thrown: Thrown) => ({
  ...place(of),
  time: text(base + thrown.at * minute),
  service: thrown.service ?? 'payment',
  severity: 17,
  body: 'failed',
  resource: { 'service.version': thrown.version ?? '1' },
  trace_id: idOf(thrown.trace ?? 'a', 16),
  span_id: idOf(thrown.span ?? 'a', 8),
  string_attributes: exceptionOf(thrown),
});

beforeAll(async () => {
  world = await startTelemetryWorld();
  ada = world.ada;
});
afterAll(() => world?.stop());

const window = { from: new Date(base).toISOString(), to: new Date(base + 60 * minute).toISOString() };
const path = (of: { workspace: string }, query: Record<string, string> = {}, id = '') =>
  `${of.workspace}/error-groups${id && `/${id}`}?${new URLSearchParams({ project: 'default', ...window, ...query })}`;
async function list(query: Record<string, string> = {}) {
  const answer = await ada.get(path(ada, query));
  expect(answer.status, answer.text).toBe(200);
  return answer;
}
const counts = (answer: { data: { type: string; count: number }[] }) =>
  answer.data.map(({ type, count }) => [type, count]);

describe('errors', () => {
  beforeAll(async () => {
    await world.insert('spans', [
      // The same place, other lines: one error. The first is only in the look-back.
      span(ada, { at: -90, stack: node(10) }),
      span(ada, { at: 1, stack: node(12), trace: 'b' }),
      span(ada, { at: 2, stack: node(13), trace: 'c', version: '2', message: 'latest' }),
      span(ada, { at: 70, stack: node(10) }),
      // More digits: counts are sorted as numbers.
      ...Array.from({ length: 11 }, (_, n) => span(ada, { at: 10 + n, type: 'Frequent', service: 'frequent' })),
      // Another place.
      span(ada, { at: 3, stack: node(10, 'refund.js'), type: 'RangeError' }),
      // No stack: by the message without its numbers.
      span(ada, { at: 4, type: 'DeclinedError', message: 'card 4711 declined', service: 'gateway' }),
      span(ada, { at: 5, type: 'DeclinedError', message: 'card 4712 declined' }),
      span(ada, { at: 6, type: 'DeclinedError', message: 'limit reached' }),
      // Versions of services.
      { ...span(ada, { at: -100, service: 'gateway' }), event_time: [], event_name: [], event_attributes: [] },
      {
        ...span(ada, { at: 2.5, service: 'gateway', version: '7' }),
        event_time: [],
        event_name: [],
        event_attributes: [],
      },
    ]);
    await world.insert('logs', [
      // The span has this error as an event: it is counted once.
      log(ada, { at: 2, stack: node(13), trace: 'c' }),
      log(ada, { at: 7, type: 'LogOnly', trace: 'd', span: 'd' }),
      { ...log(ada, { at: 8 }), string_attributes: {} },
    ]);
    await world.insert('spans', [span(world.eve, { at: 1, type: 'Canary' })]);
  });

  it('are grouped by type and stack, whatever the lines, and counted once for a span and its log record', async () => {
    const answer = await list();
    expect(counts(answer).sort()).toEqual([
      ['DeclinedError', 1],
      ['DeclinedError', 2],
      ['Frequent', 11],
      ['LogOnly', 1],
      ['RangeError', 1],
      ['TypeError', 2],
    ]);
    expect(answer.json.meta).toMatchObject({ total: 18, next_cursor: null, warnings: [] });
    const broken = answer.data.find(({ type }: { type: string }) => type === 'TypeError');
    expect(broken).toMatchObject({
      message: 'latest',
      frame: 'at charge (/srv/app/pay.js:13:7)',
      services: ['payment'],
      versions: ['1', '2'],
      first_seen: new Date(base - 90 * minute).toISOString().replace('Z', '000000Z'),
      state: 'open',
      is_regression: false,
      changed_by: null,
      new_since: null,
    });
    expect(broken.trend.reduce((sum: number, n: number) => sum + n, 0)).toBe(2);
  });

  it('are new since the deploy before which nobody saw them', async () => {
    const { data } = await list({ service: 'gateway' });
    expect(data).toMatchObject([{ type: 'DeclinedError', new_since: { service: 'gateway', version: '7' } }]);
  });

  it('are paged by count, then by id, in a fixed window', async () => {
    const seen: unknown[] = [];
    let cursor: string | undefined;
    do {
      const answer = await list({ limit: '2', ...(cursor !== undefined && { cursor }) });
      seen.push(...answer.data.map(({ id }: { id: string }) => id));
      cursor = answer.json.meta.next_cursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual((await list()).data.map(({ id }: { id: string }) => id));
    expect(new Set(seen).size).toBe(6);
    expect(counts(await list({ limit: '1' }))).toEqual([['Frequent', 11]]);
    expect((await ada.get(path(ada, { cursor: 'bm9uc2Vuc2U' }))).json.error.code).toBe('SVC-1009');
  });

  it('are filtered by service, text and environment, and sorted', async () => {
    expect(counts(await list({ search: 'LATEST' }))).toEqual([['TypeError', 2]]);
    expect(counts(await list({ service: 'nobody' }))).toEqual([]);
    expect(counts(await list({ environment: 'development' }))).toEqual([]);
    expect(counts(await list({ sort: 'last_seen', limit: '1' }))).toEqual([['Frequent', 11]]);
    expect((await list({ sort: 'first_seen' })).data.at(-1).type).toBe('TypeError');
  });

  it('have a stack, occurrences with their traces, and the variants that these saw', async () => {
    const event = (trace: string, variant: string) => ({
      ...place(ada),
      time: text(base),
      flag: 'new-pay',
      variant,
      trace_id: idOf(trace, 16),
      source: 'otlp',
      evaluations: 1,
    });
    await world.insert('flag_events', [event('b', 'on'), event('c', 'on'), event('e', 'on'), event('f', 'off')]);
    const { id } = (await list({ search: 'latest' })).data[0];
    const answer = await ada.get(path(ada, {}, id));
    expect(answer.status, answer.text).toBe(200);
    expect(answer.data).toMatchObject({ id, stack: node(13), count: 2 });
    expect(answer.data.occurrences).toMatchObject([
      { trace_id: hexOf('c'), version: '2', message: 'latest', service: 'payment' },
      { trace_id: hexOf('b'), version: '1' },
    ]);
    expect(answer.data.variants).toEqual([
      { flag: 'new-pay', variant: 'on', traces: 3, failing: 2 },
      { flag: 'new-pay', variant: 'off', traces: 1, failing: 0 },
    ]);
  });

  it('of other workspaces and unknown ids are not found', async () => {
    const { id } = (await list({ search: 'latest' })).data[0];
    expect((await world.eve.get(path(world.eve, {}, id))).json.error.code).toBe('SVC-7220');
    expect((await ada.get(path(world.eve))).status).toBe(404);
    expect((await ada.get(path(ada, {}, 'x'))).json.error.code).toBe('SVC-7220');
    expect((await ada.get(path(ada, { project: 'nowhere' }))).status).toBe(404);
    const put = await world.eve.put(`${world.eve.workspace}/error-groups/${id}/state`, {
      project: 'default',
      state: 'ignored',
    });
    expect(put.json.error.code).toBe('SVC-7220');
  });
});

describe('the state of an error', () => {
  const service = 'stateful';
  const recent = async () => {
    const query = { project: 'default', from: 'now-1h', service };
    const answer = await ada.get(`${ada.workspace}/error-groups?${new URLSearchParams(query)}`);
    expect(answer.status, answer.text).toBe(200);
    return answer.data as { id: string; state: string; is_regression: boolean; changed_by: string | null }[];
  };
  const thrownAt = (ms: number) => span(ada, { at: (ms - base) / minute, service, type: 'StateError' });

  it('is kept with who set it, is audited, and opens again when the error does', async () => {
    await world.insert('spans', [thrownAt(Date.now() - 1_000)]);
    const [found] = await recent();
    const url = `${ada.workspace}/error-groups/${found?.id}/state`;
    const resolved = await ada.put(url, { project: 'default', state: 'resolved', comment: 'Fixed in 2' });
    expect(resolved.status, resolved.text).toBe(200);
    expect(resolved.data).toMatchObject({ state: 'resolved', comment: 'Fixed in 2', is_regression: false });
    expect(await recent()).toMatchObject([{ state: 'resolved', changed_by: resolved.data.changed_by }]);
    const open = `${ada.workspace}/error-groups?project=default&from=now-1h&service=${service}&state=open`;
    expect((await ada.get(open)).data).toEqual([]);
    const [entry] = (
      await ada.get(`/api/v1/audit?action=error_groups.set_state&workspace=${ada.workspace.split('/').at(-1)}`)
    ).data;
    expect(entry).toMatchObject({ before: { state: 'open' }, after: { state: 'resolved', comment: 'Fixed in 2' } });
    await world.insert('spans', [thrownAt(Date.parse(resolved.data.changed_at) + 1)]);
    const later = { project: 'default', from: 'now-1h', to: 'now+5m', service };
    const again = await ada.get(`${ada.workspace}/error-groups?${new URLSearchParams({ ...later, state: 'open' })}`);
    expect(again.data).toMatchObject([{ state: 'open', is_regression: true, count: 2 }]);
    expect((await ada.put(url, { project: 'default', state: 'ignored' })).data.state).toBe('ignored');
    const ignored = await ada.get(
      `${ada.workspace}/error-groups?${new URLSearchParams({ ...later, state: 'ignored' })}`,
    );
    expect(ignored.data).toMatchObject([{ state: 'ignored', is_regression: false }]);
  });

  it('can be set by owners of workspaces that are older than the permission', async () => {
    const { db } = await sharedTestServer();
    const owner = await newWorkspace(ada, 'Older');
    const roles = () => db.selectFrom('roles').select('permissions').where('workspace_id', '=', owner.workspaceId);
    const without = permissionNames.filter((name) => name !== 'errors:write');
    await db
      .updateTable('roles')
      .set({ permissions: without })
      .where('workspace_id', '=', owner.workspaceId)
      .where('key', '=', 'owner')
      .execute();
    for (const statement of errorGroups0022.statements.slice(1)) await sql.raw(statement).execute(db);
    const role = await roles().where('key', '=', 'owner').executeTakeFirstOrThrow();
    expect(role.permissions.filter((name) => name === 'errors:write')).toEqual(['errors:write']);
    const viewer = await roles().where('key', '=', 'viewer').executeTakeFirstOrThrow();
    expect(viewer.permissions).not.toContain('errors:write');
  });

  it('can only be set by people with errors:write', async () => {
    const role = await ada.post(`${ada.workspace}/roles`, { name: 'Reads errors', permissions: ['telemetry:query'] });
    const reader = await signUp(world.base, 'errors-reader');
    await addMember(ada, reader, role.data.id);
    const refused = await reader.put(`${ada.workspace}/error-groups/${'0'.repeat(32)}/state`, {
      project: 'default',
      state: 'resolved',
    });
    expect([refused.status, refused.json.error.message]).toEqual([403, 'permission denied: errors:write required']);
  });
});
