import { channelKinds } from '@fanion/contract';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createEncryption } from '../../../platform/encryption.ts';
import { type Recorder, startRecorder } from '../../../testing/recorder.ts';
import { type TestDatabase, type TestStore, testStores } from '../../../testing/test-database.ts';
import { type Tenant, type TestControlPlane, testControlPlane, testOrigin } from '../../testing/control-plane.ts';
import { encryptAgain } from './rotation.ts';
import { createChannelSender } from './sender.ts';
import * as service from './service.ts';
import { channels, findChannels, markChannel } from './store.ts';
import { configsAt, testSender } from './testing/sample.ts';

const { signal } = new AbortController();
const secretTexts = [
  'top-secret',
  '/hook',
  '/services/',
  'R0UT1NG',
  'g-e-n-i-e',
  'sig=x',
  '/webhooks/',
  '123:abc',
  'secret-topic',
  'tk_x',
];

describe.each(testStores)('channels on %s', (_name, start) => {
  let store: TestStore;
  let recorder: Recorder;
  let database: TestDatabase;
  let plane: TestControlPlane;
  let ada: Tenant;
  let parts: service.ChannelsDependencies;
  const { egress, mailer, encryption } = testSender();
  const sender = createChannelSender({ egress, mailer, encryption, clock: { now: () => Date.now() } });

  beforeAll(async () => {
    [store, recorder] = await Promise.all([start(), startRecorder()]);
  });
  afterAll(() => Promise.all([store?.close(), recorder?.stop()]));
  beforeEach(async () => {
    database = await store.fresh();
    plane = testControlPlane(database.db);
    ada = await plane.addTenant('ada');
    recorder.requests.length = 0;
    const config = { baseUrl: 'https://fanion.example.com' };
    parts = { ...plane.dependencies, encryption, egress, sender, config };
  });

  const by = (tenant: Tenant) => ({ ...tenant, origin: testOrigin, signal });
  const create = (input: Partial<service.ChannelInput> = {}, tenant: Tenant = ada) => {
    const config = configsAt(recorder.url)[input.kind ?? 'webhook'];
    const whole = { name: 'On call', kind: 'webhook' as const, config, send_resolved: true, fallback: null, ...input };
    return service.create(parts, by(tenant), whole);
  };
  const list = async ({ workspace }: Tenant = ada) =>
    (await channels.list(database.db, workspace.id, { after: undefined, limit: 50 })).map((row) =>
      service.present(parts, row),
    );
  const update = (id: string, patch: service.ChannelPatch, tenant: Tenant = ada) =>
    service.update(parts, by(tenant), id, patch);
  const remove = (id: string, tenant: Tenant = ada) => service.remove(parts, by(tenant), id);
  const test = (id: string, tenant: Tenant = ada) => service.sendTest(parts, by(tenant), id, 'http://localhost');
  const everything = async () => {
    const rows = await sql<{
      line: string;
    }>`SELECT c::text AS line FROM channels c UNION ALL SELECT a::text FROM audit_entries a`.execute(database.db);
    return rows.rows.map(({ line }) => line).join('\n');
  };

  it('of every kind return, store and audit no secret', async () => {
    for (const kind of channelKinds) {
      const made = await create({ name: kind, kind });
      const again = await update(made.id, { config: {}, name: `${kind} 2` });
      await test(made.id);
      expect(again).toEqual({ ...made, name: `${kind} 2`, version: 2, updated_at: again.updated_at });
    }
    const listed = await list();
    const host = new URL(recorder.url).host;
    expect(listed.map(({ kind, secrets, target }) => [kind, secrets, target]).reverse()).toEqual([
      ['webhook', ['url', 'secret'], host],
      ['slack', ['url'], host],
      ['email', [], 'ada@example.com, bob@example.com'],
      ['pagerduty', ['routing_key'], host],
      ['opsgenie', ['api_key'], host],
      ['teams', ['url'], host],
      ['discord', ['url'], host],
      ['telegram', ['bot_token'], host],
      ['ntfy', ['topic', 'token'], host],
    ]);
    expect(listed.map(({ health }) => health.state)).toEqual(channelKinds.map(() => 'healthy'));
    const shown = JSON.stringify(listed) + (await everything());
    for (const secret of secretTexts) expect(shown).not.toContain(secret);
    for (const { id } of listed) await remove(id);
    for (const secret of secretTexts) expect(await everything()).not.toContain(secret);
    expect(new Set(await plane.audited(ada.workspace.id))).toEqual(
      new Set(['channels.create', 'channels.update', 'channels.test', 'channels.remove']),
    );
  });

  it('keep the secrets that a change leaves out, and replace the others', async () => {
    const { id } = await create();
    await update(id, { config: { secret: 'another' } });
    const [row] = await findChannels(database.db, ada.workspace.id, [id]);
    expect(JSON.parse(encryption.decrypt(row?.secrets ?? '', `channels:${id}`))).toEqual({
      url: `${recorder.url}/hook`,
      secret: 'another',
    });
    expect((await update(id, { config: { secret: null } })).secrets).toEqual(['url']);
    const entry = await database.db
      .selectFrom('audit_entries')
      .select('after')
      .where('action', '=', 'channels.update')
      .orderBy('id')
      .executeTakeFirstOrThrow();
    expect(entry.after).toMatchObject({ config: { url: '[secret]', secret: '[secret]' }, replaced: ['secret'] });
  });

  it('do not send a secret to another address than the one it was given for', async () => {
    const { id } = await create({ kind: 'pagerduty' });
    const moved = { config: { url: 'https://evil.example' } };
    await expect(update(id, moved)).rejects.toMatchObject({
      error: 'CHANNEL_SECRETS_REQUIRED',
      details: [{ path: 'config.routing_key' }],
    });
    await expect(update(id, { config: { url: recorder.url } })).resolves.toMatchObject({ version: 1 });
    await expect(update(id, { config: { ...moved.config, routing_key: 'new' } })).resolves.toMatchObject({
      config: moved.config,
    });
  });

  it('of every kind ask for their other secrets again when their address changes', async () => {
    const url = 'https://elsewhere.example/hook';
    const asked: Record<string, string[]> = {};
    for (const kind of channelKinds) {
      const { id, secrets, config } = await create({ name: kind, kind });
      if (!secrets.includes('url') && !('url' in config)) continue;
      asked[kind] = secrets.filter((name) => name !== 'url');
      const moved = update(id, { config: { url } });
      if (asked[kind].length === 0) await moved;
      else
        await expect(moved).rejects.toMatchObject({
          error: 'CHANNEL_SECRETS_REQUIRED',
          details: asked[kind].map((name) => ({ path: `config.${name}` })),
        });
    }
    expect(asked).toMatchObject({ webhook: ['secret'], slack: [], pagerduty: ['routing_key'], opsgenie: ['api_key'] });
  });

  it('keep no signing secret for another receiver, and may lose it', async () => {
    const { id } = await create({ kind: 'webhook' });
    const url = 'https://evil.example/hook';
    await expect(update(id, { config: { url } })).rejects.toMatchObject({ details: [{ path: 'config.secret' }] });
    await expect(update(id, { config: { url, secret: null } })).resolves.toMatchObject({ secrets: ['url'] });
  });

  it.each(['https://hooks.example.com/\r\nX-Evil: 1', 'https://hooks.example.com/\n', 'https://hooks.exa\tmple.com/'])(
    'refuse the address %j',
    async (url) => {
      await expect(create({ kind: 'webhook', config: { url } })).rejects.toMatchObject({
        error: 'CHANNEL_INVALID',
        details: [{ path: 'config.url', message: 'no control characters or line breaks' }],
      });
    },
  );

  it.each<[string, Partial<service.ChannelInput>, RegExp]>([
    ['a private address', { config: { url: 'http://169.254.169.254/latest' } }, /^config.url: .* link-local/],
    ['another protocol', { config: { url: 'ftp://example.com' } }, /^config.url: /],
    ['a user name in the address', { config: { url: 'https://user:pw@example.com' } }, /^config.url: /],
    ['a field of another kind', { config: { url: 'https://example.com', to: [] } }, /^config: .*"to"/],
    ['a fallback that does not exist', { fallback: '019346e2-8b7a-7c4e-9d3f-5a6b7c8d9e0f' }, /^fallback: no channel/],
  ])('reject %s', async (_what, input, reason) => {
    await expect(create(input)).rejects.toMatchObject({
      error: 'CHANNEL_INVALID',
      parameters: { reason: expect.stringMatching(reason) },
    });
  });

  it('have names of their own in a workspace', async () => {
    await create();
    await expect(create({ name: 'ON CALL' })).rejects.toMatchObject({ error: 'CHANNEL_EXISTS' });
    const { id } = await create({ name: 'Other' });
    await expect(update(id, { name: 'on call' })).rejects.toMatchObject({ error: 'CHANNEL_EXISTS' });
    await expect(create({}, await plane.addTenant('eve'))).resolves.toBeDefined();
  });

  it('change by version', async () => {
    const { id, version } = await create();
    expect(await update(id, { version, send_resolved: false })).toMatchObject({ version: 2, send_resolved: false });
    await expect(update(id, { version, name: 'x' })).rejects.toMatchObject({ error: 'STALE_VERSION' });
  });

  it('fall back on each other without circles', async () => {
    const a = await create({ name: 'a' });
    const b = await create({ name: 'b', fallback: a.id });
    const c = await create({ name: 'c', fallback: b.id });
    const circle = { error: 'CHANNEL_INVALID', parameters: { reason: 'fallback: the fallbacks form a circle' } };
    await expect(update(a.id, { fallback: c.id })).rejects.toMatchObject(circle);
    await expect(update(a.id, { fallback: b.id })).rejects.toMatchObject(circle);
    await expect(update(a.id, { fallback: a.id })).rejects.toMatchObject({ error: 'CHANNEL_INVALID' });
    await update(b.id, { fallback: null });
    await expect(update(a.id, { fallback: b.id })).resolves.toMatchObject({ fallback: b.id });
  });

  it('are not deleted while something uses them', async () => {
    const a = await create({ name: 'a' });
    const b = await create({ name: 'b', fallback: a.id });
    await expect(remove(a.id)).rejects.toMatchObject({
      error: 'CHANNEL_IN_USE',
      parameters: { name: 'a', users: 'b as a fallback' },
    });
    // What the tables of routing do.
    await sql`CREATE TABLE uses (channel_id uuid NOT NULL REFERENCES channels)`.execute(database.db);
    try {
      await sql`INSERT INTO uses VALUES (${b.id})`.execute(database.db);
      await expect(remove(b.id)).rejects.toMatchObject({ error: 'CHANNEL_IN_USE' });
    } finally {
      await sql`DROP TABLE uses`.execute(database.db);
    }
    await remove(b.id);
    await remove(a.id);
    await expect(remove(a.id)).rejects.toMatchObject({ error: 'NOT_FOUND' });
  });

  it('of another workspace do not exist', async () => {
    const { id } = await create();
    const eve = await plane.addTenant('eve');
    const attempts = [
      () => update(id, { name: 'x' }, eve),
      () => remove(id, eve),
      () => test(id, eve),
      () => test('nonsense'),
    ];
    for (const attempt of attempts) await expect(attempt()).rejects.toMatchObject({ error: 'NOT_FOUND' });
    await expect(create({ fallback: id }, eve)).rejects.toMatchObject({
      error: 'CHANNEL_INVALID',
      parameters: { reason: 'fallback: no channel has this id' },
    });
    expect(await findChannels(database.db, eve.workspace.id, [id])).toEqual([]);
    expect(await list(eve)).toEqual([]);
    expect(recorder.requests).toEqual([]);
  });

  it('are tested for real, and keep what the receiver answered as their health', async () => {
    const { id } = await create();
    recorder.answer({ status: 403, body: 'wrong key' }, { status: 200, body: 'thanks' });
    expect(await test(id)).toEqual({ delivered: false, status: 403, answer: 'wrong key', error: 'HTTP 403' });
    const health = async () => (await list())[0]?.health;
    expect(await health()).toMatchObject({ state: 'unhealthy', error: 'HTTP 403' });
    expect(await test(id)).toEqual({ delivered: true, status: 200, answer: 'thanks' });
    expect(await health()).toMatchObject({ state: 'healthy', error: null });
    expect(recorder.requests).toHaveLength(2);
    expect(JSON.parse(recorder.requests[0]?.body ?? '')).toMatchObject({
      version: '4',
      externalURL: `https://fanion.example.com/w/${ada.workspace.slug}`,
      alerts: [{ labels: { alertname: 'Test notification' } }],
    });
  });

  it('leave no incident of a test open', async () => {
    const { id } = await create({ kind: 'pagerduty' });
    await test(id);
    const events = recorder.requests.map(({ body }) => JSON.parse(body));
    expect(events.map(({ event_action }) => event_action)).toEqual(['trigger', 'resolve']);
    expect(events[0].dedup_key).toBe(events[1].dedup_key);
  });

  it('keep since when they are unhealthy', async () => {
    const { id } = await create();
    const { db } = database;
    const at = (minute: number) => new Date(Date.UTC(2026, 10, 22, 10, minute));
    const health = async () => (await list())[0]?.health;
    await markChannel(db, id, { state: 'unhealthy', error: 'HTTP 500' }, at(1));
    await markChannel(db, id, { state: 'unhealthy', error: 'HTTP 502' }, at(2));
    expect(await health()).toEqual({ state: 'unhealthy', error: 'HTTP 502', since: at(1).toISOString() });
    await markChannel(db, id, { state: 'healthy' }, at(3));
    await markChannel(db, id, { state: 'healthy' }, at(4));
    expect(await health()).toEqual({ state: 'healthy', error: null, since: at(3).toISOString() });
  });

  it('are encrypted again with another key, each once', async () => {
    const a = await create({ name: 'a' });
    const b = await create({ name: 'b', kind: 'ntfy' });
    await create({ name: 'c', kind: 'email' });
    const oldKey = Buffer.from('the secret key of the tests of channels');
    const newKey = Buffer.from('another secret key of the tests of channels');
    const both = createEncryption(newKey, oldKey);
    expect(await encryptAgain(database.db, both)).toBe(2);
    expect(await encryptAgain(database.db, both)).toBe(0);
    const alone = createEncryption(newKey, undefined);
    const rows = await findChannels(database.db, ada.workspace.id, [a.id, b.id]);
    const secrets = new Map(
      rows.map(({ id, secrets }) => [id, JSON.parse(alone.decrypt(secrets ?? '', `channels:${id}`))]),
    );
    expect(secrets.get(a.id)).toMatchObject({ secret: 'top-secret' });
    expect(secrets.get(b.id)).toEqual({ topic: 'secret-topic', token: 'tk_x' });
  });

  it('whose key is lost are listed, and get new secrets', async () => {
    const { id } = await create();
    await sql`UPDATE channels SET secrets = '1.00000000.AAAA'`.execute(database.db);
    expect((await list())[0]).toMatchObject({ id, secrets: [] });
    expect(await test(id)).toMatchObject({
      delivered: false,
      error: expect.stringContaining('FANION_SECRET_KEY_PREVIOUS'),
    });
    await update(id, { config: { url: `${recorder.url}/hook` } });
    expect(await test(id)).toMatchObject({ delivered: true });
  });
});
