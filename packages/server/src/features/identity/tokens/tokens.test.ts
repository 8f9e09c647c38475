import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createEncryption } from '../../../platform/encryption.ts';
import { type TestDatabase, type TestStore, testStores } from '../../../testing/test-database.ts';
import {
  type Tenant,
  type TestControlPlane,
  testControlPlane,
  testOrigin,
  testSecretKey,
} from '../../testing/control-plane.ts';
import { openPayloadKey, sealPayloadKeysAgain } from './payload-keys.ts';
import { maxTokens } from './rules.ts';
import * as tokens from './service.ts';

const everything = { kind: undefined, includeRevoked: false, after: undefined, limit: 50 } as const;

describe.each(testStores)('tokens on %s', (_name, start) => {
  let store: TestStore;
  let database: TestDatabase;
  let control: TestControlPlane;
  let ada: Tenant;

  beforeAll(async () => {
    store = await start();
  });
  afterAll(() => store.close());
  beforeEach(async () => {
    database = await store.fresh();
    control = testControlPlane(database.db);
    ada = await control.addTenant('ada');
  });

  const create = (
    input: Partial<Parameters<typeof tokens.createApiToken>[3]>,
    caller: Parameters<typeof tokens.createApiToken>[2] = ada.caller,
  ) =>
    tokens.createApiToken(
      control.dependencies,
      ada.workspace,
      caller,
      { name: 'ci', permissions: ['telemetry:ingest'], ...input },
      testOrigin,
    );
  const flagKey = (environment = 'production', more = {}) =>
    tokens.createFlagKey(
      control.dependencies,
      ada,
      ada.caller,
      { environment, kind: 'server', allowed_origins: [], growthbook_encryption: false, ...more },
      testOrigin,
    );

  it('shows the secret once and stores only its hash', async () => {
    const created = await create({ project: 'default', environment: 'production' });
    expect(created.token).toMatch(/^svc_pat_[0-9A-Za-z]{49}$/);
    expect(created).toMatchObject({ kind: 'api', project: 'default', environment: 'production', created_by: 'ada' });
    const caller = await control.tokenCaller(created.token);
    expect(caller).toMatchObject({ projectId: ada.project.id, environmentId: ada.production.id });
    const rows = await database.db.selectFrom('api_tokens').selectAll().execute();
    const audit = await database.db.selectFrom('audit_entries').selectAll().execute();
    const listed = await tokens.list(control.dependencies, ada.workspace, ada.caller, everything);
    for (const kept of [rows, audit, listed]) expect(JSON.stringify(kept)).not.toContain(created.token);
    expect(created.token.startsWith(listed[0]?.prefix ?? 'none')).toBe(true);
  });

  it('lists both kinds, newest first, page by page, and by kind', async () => {
    const first = await create({ name: 'first' });
    control.clock.ms += 10;
    const second = await flagKey();
    control.clock.ms += 10;
    const third = await create({ name: 'third' });
    const ids = async (options: object) =>
      (await tokens.list(control.dependencies, ada.workspace, ada.caller, { ...everything, ...options })).map(
        ({ id }) => id,
      );
    expect(await ids({})).toEqual([third.id, second.id, first.id]);
    expect(await ids({ after: third.id })).toEqual([second.id, first.id]);
    expect(await ids({ kind: 'sdk' })).toEqual([second.id]);
    expect(await ids({ limit: 1 })).toHaveLength(2);
  });

  it('shows when a secret was last used', async () => {
    const { token } = await create({});
    await control.tokenCaller(token);
    const [listed] = await tokens.list(control.dependencies, ada.workspace, ada.caller, everything);
    expect(listed?.last_used_at).toBe(new Date(control.clock.ms).toISOString());
  });

  it('gives nobody more permissions than they have', async () => {
    const { caller } = await control.addMember(ada.workspace, 'bob', ['tokens:write', 'flags:read']);
    await expect(create({ permissions: ['flags:read', 'flags:write'] }, caller)).rejects.toMatchObject({
      error: 'ESCALATION',
    });
    const { token } = await create({ permissions: ['tokens:write', 'flags:read'] }, caller);
    const narrow = await create({ permissions: ['tokens:write'] }, await control.tokenCaller(token));
    await expect(
      create({ permissions: ['flags:read'] }, await control.tokenCaller(narrow.token)),
    ).rejects.toMatchObject({
      error: 'ESCALATION',
    });
  });

  it('does not restore what a grant takes away in one place', async () => {
    const { caller, memberId } = await control.addMember(ada.workspace, 'bob', ['tokens:write', 'flags:write']);
    const { roleId } = await control.addMember(ada.workspace, 'carl', []);
    await control.grant(memberId, ada.project.id, ada.production.id, roleId);
    await expect(create({ permissions: ['flags:write'] }, caller)).rejects.toMatchObject({ error: 'ESCALATION' });
    await expect(create({ permissions: ['flags:write'], project: 'default' }, caller)).rejects.toMatchObject({
      error: 'ESCALATION',
    });
    const pinned = { permissions: ['flags:write'] as const, project: 'default', environment: 'development' };
    await expect(create(pinned, caller)).resolves.toBeDefined();
  });

  it('passes its pin and its expiry on to tokens that it creates', async () => {
    const end = new Date(control.clock.ms + 60_000).toISOString();
    const parent = await create({ permissions: ['tokens:write', 'flags:read'], project: 'default', expires_at: end });
    const caller = await control.tokenCaller(parent.token);
    const child = await create({ permissions: ['flags:read'] }, caller);
    expect(child).toMatchObject({ project: 'default', environment: null, expires_at: end });
    await expect(
      create({ expires_at: new Date(control.clock.ms + 61_000).toISOString(), permissions: ['flags:read'] }, caller),
    ).rejects.toMatchObject({
      error: 'INVALID_INPUT',
    });
    control.clock.ms += 60_000;
    await expect(control.tokenCaller(child.token)).rejects.toMatchObject({ error: 'UNAUTHENTICATED' });
  });

  it('rejects workspace permissions on a pinned token, and unknown places', async () => {
    await expect(create({ permissions: ['audit:read'], project: 'default' })).rejects.toMatchObject({
      error: 'INVALID_INPUT',
      details: [{ path: 'permissions.0' }],
    });
    await expect(create({ project: 'nowhere' })).rejects.toMatchObject({ error: 'NOT_FOUND' });
    await expect(create({ project: 'default', environment: 'nowhere' })).rejects.toMatchObject({ error: 'NOT_FOUND' });
    await expect(create({ environment: 'production' })).rejects.toMatchObject({ error: 'INVALID_INPUT' });
    const eve = await control.addTenant('eve');
    await expect(create({ project: eve.project.id })).rejects.toMatchObject({ error: 'NOT_FOUND' });
  });

  it('revokes both kinds at once, and only once', async () => {
    const api = await create({});
    const sdk = await flagKey();
    for (const { id } of [api, sdk]) {
      await tokens.revoke(control.dependencies, ada.workspace, ada.caller, id, testOrigin);
      await expect(
        tokens.revoke(control.dependencies, ada.workspace, ada.caller, id, testOrigin),
      ).rejects.toMatchObject({
        error: 'NOT_FOUND',
      });
    }
    await expect(control.tokenCaller(api.token)).rejects.toMatchObject({ error: 'UNAUTHENTICATED' });
    await expect(control.tokenCaller(sdk.key)).rejects.toMatchObject({ error: 'UNAUTHENTICATED' });
    expect(await tokens.list(control.dependencies, ada.workspace, ada.caller, everything)).toEqual([]);
    expect(
      await tokens.list(control.dependencies, ada.workspace, ada.caller, { ...everything, includeRevoked: true }),
    ).toHaveLength(2);
    expect(await control.audited(ada.workspace.id)).toEqual([
      'flag_keys.create',
      'tokens.create',
      'tokens.remove',
      'tokens.remove',
    ]);
  });

  it('lets a pinned token revoke only what is within its pin', async () => {
    const unpinned = await create({});
    const elsewhere = await create({ project: 'default', environment: 'development' });
    const here = await create({ project: 'default', environment: 'production' });
    const wholeProject = await create({ project: 'default' });
    const { token } = await create({ permissions: ['tokens:write'], project: 'default', environment: 'production' });
    const caller = await control.tokenCaller(token);
    for (const { id } of [unpinned, elsewhere, wholeProject])
      await expect(tokens.revoke(control.dependencies, ada.workspace, caller, id, testOrigin)).rejects.toMatchObject({
        error: 'NOT_FOUND',
      });
    await tokens.revoke(control.dependencies, ada.workspace, caller, here.id, testOrigin);
  });

  it('returns 404 for a token of another workspace and for a malformed id', async () => {
    const eve = await control.addTenant('eve');
    const { id } = await create({});
    for (const unknown of [id, ada.workspace.id, 'x'])
      await expect(
        tokens.revoke(control.dependencies, eve.workspace, eve.caller, unknown, testOrigin),
      ).rejects.toMatchObject({
        error: 'NOT_FOUND',
      });
  });

  it('creates SDK keys only for callers who may read flags', async () => {
    const key = await flagKey('development', { kind: 'client', allowed_origins: ['https://Shop.example'] });
    expect(key.key).toMatch(/^svc_sdk_/);
    expect(key).toMatchObject({
      environment: 'development',
      kind: 'client',
      allowed_origins: ['https://shop.example'],
    });
    const { caller } = await control.addMember(ada.workspace, 'bob', ['tokens:write']);
    const place = { environment: 'production', kind: 'server' } as const;
    const input = { ...place, allowed_origins: [], growthbook_encryption: false };
    await expect(tokens.createFlagKey(control.dependencies, ada, caller, input, testOrigin)).rejects.toMatchObject({
      error: 'ESCALATION',
    });
    await expect(flagKey('nowhere')).rejects.toMatchObject({ error: 'NOT_FOUND' });
  });

  describe('with payloads that are encrypted', () => {
    it('shows the decryption key once, stores it sealed, and does not audit it', async () => {
      const { id, growthbook_decryption_key: key } = await flagKey('production', { growthbook_encryption: true });
      if (key === null) throw new Error('no key');
      expect(Buffer.from(key, 'base64')).toHaveLength(16);
      const row = await database.db.selectFrom('sdk_keys').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
      expect(row.payload_key).not.toContain(key);
      const { encryption } = control.dependencies;
      expect(openPayloadKey(encryption, id, row.payload_key ?? '').toString('base64')).toBe(key);
      expect(() => openPayloadKey(encryption, ada.workspace.id, row.payload_key ?? '')).toThrow(/belongs to/);
      const audit = await database.db.selectFrom('audit_entries').selectAll().execute();
      expect(JSON.stringify(audit)).not.toContain(key);
      const listed = await tokens.list(control.dependencies, ada.workspace, ada.caller, everything);
      expect(listed[0]).toMatchObject({ id, growthbook_encryption: true });
      expect(JSON.stringify(listed)).not.toContain(key);
    });

    it('has no decryption key by default, and none for a client key', async () => {
      expect((await flagKey()).growthbook_decryption_key).toBeNull();
      await expect(flagKey('production', { kind: 'client', growthbook_encryption: true })).rejects.toMatchObject({
        error: 'INVALID_INPUT',
        details: [expect.objectContaining({ path: 'growthbook_encryption' })],
      });
    });

    it('keeps the decryption key when the secret key of the server is replaced', async () => {
      const { id, growthbook_decryption_key: key } = await flagKey('production', { growthbook_encryption: true });
      await flagKey();
      const newKey = Buffer.from('another secret key of the tests of features');
      const both = createEncryption(newKey, testSecretKey);
      expect(await sealPayloadKeysAgain(database.db, both)).toBe(1);
      expect(await sealPayloadKeysAgain(database.db, both)).toBe(0);
      const row = await database.db.selectFrom('sdk_keys').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
      const opened = openPayloadKey(createEncryption(newKey, undefined), id, row.payload_key ?? '');
      expect(opened.toString('base64')).toBe(key);
    });
  });

  it('has a limit that does not count revoked ones', async () => {
    const filler = Array.from({ length: maxTokens - 1 }, (_, i) => ({
      id: `00000000-0000-7000-8000-${String(i).padStart(12, '0')}`,
      workspace_id: ada.workspace.id,
      user_id: ada.caller.user.id,
      name: 'filler',
      prefix: 'svc_pat_0000',
      secret_hash: Buffer.from(`filler ${i}`),
      permissions: [],
      project_id: null,
      environment_id: null,
      expires_at: null,
      last_used_at: null,
      revoked_at: null,
    }));
    await database.db.insertInto('api_tokens').values(filler).execute();
    const last = await create({});
    await expect(create({})).rejects.toMatchObject({ error: 'LIMIT_REACHED' });
    await expect(flagKey()).rejects.toMatchObject({ error: 'LIMIT_REACHED' });
    await tokens.revoke(control.dependencies, ada.workspace, ada.caller, last.id, testOrigin);
    await expect(flagKey()).resolves.toBeDefined();
  });
});
