import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { allRoutes, builtInRoles, createClient, errors, getFlag, permissions, routePath } from './index.ts';

describe('the error registry', () => {
  it('assigns each code once', () => {
    const codes = Object.values(errors).map(({ code }) => code);
    expect(new Set(codes).size).toBe(codes.length);
  });
  it('has four-digit codes and error statuses', () => {
    for (const { code, status } of Object.values(errors)) {
      expect(code).toMatch(/^SVC-\d{4}$/);
      expect(status).toBeGreaterThanOrEqual(400);
    }
  });
  it('fills in the given parameters and leaves the other placeholders', () => {
    expect(errors.PERMISSION_DENIED.message({ permission: 'telemetry:query' })).toBe(
      'permission denied: telemetry:query required',
    );
    expect(errors.FLAG_NOT_FOUND.message({})).toBe('no flag has the key {key}');
  });
});

describe('routes', () => {
  it('have unique ids, and unique methods and paths', () => {
    expect(new Set(allRoutes.map(({ id }) => id)).size).toBe(allRoutes.length);
    expect(new Set(allRoutes.map((r) => `${r.method} ${r.prefix}${r.path.replace(/\{\w+\}/g, '{}')}`)).size).toBe(
      allRoutes.length,
    );
  });
  it.each(allRoutes.map((route) => [route.id, route] as const))(
    '%s: requires a permission if it acts on a workspace, and rejects unknown body fields',
    (_id, route) => {
      const touchesWorkspace =
        (route.path.includes('{ws}') || route.callerWorkspace) && (route.auth === 'user' || route.auth === 'session');
      if (touchesWorkspace) expect(route.permission).toBeDefined();
      if (route.bodies === 'envelope' && route.body instanceof z.ZodObject)
        expect(
          route.body
            .safeParse({ 'no such field': 1 })
            .error?.issues.some((issue) => issue.code === 'unrecognized_keys'),
        ).toBe(true);
    },
  );
  // What a window or the parts of one resource bound is not paged.
  const bounded = ['exemplars.list', 'slos.timeseries', 'experiments.timeseries', 'experiments.interactions'];
  it.each(
    allRoutes
      .filter(({ method, bodies, list, response }) => {
        return method === 'GET' && bodies === 'envelope' && (list || response instanceof z.ZodArray);
      })
      .map((route) => [route.id, route] as const),
  )('%s: takes limit and cursor, since it returns a list', (id, route) => {
    if (bounded.includes(id)) return;
    expect(route.list).toBe(true);
    expect(route.query.safeParse({ limit: '1', cursor: 'abc' }).error?.issues ?? []).not.toContainEqual(
      expect.objectContaining({ code: 'unrecognized_keys' }),
    );
  });
  it('say of the SDK routes that their handlers write the envelope themselves', () => {
    const own = allRoutes.filter(({ enveloped, bodies }) => enveloped && bodies === 'protocol').map(({ id }) => id);
    expect(own.sort()).toEqual(['sdk.evaluate', 'sdk.evaluate_all', 'sdk.ruleset']);
  });
  it('require no permission of an SDK key', () => {
    for (const route of allRoutes) if (route.auth === 'sdk') expect(route.permission).toBeUndefined();
  });
});

describe('built-in roles', () => {
  it('contain only known permissions, and each role is a subset of the next', () => {
    const { owner, admin, editor, viewer } = builtInRoles;
    for (const role of [owner, admin, editor, viewer])
      for (const name of role.permissions) expect(Object.hasOwn(permissions, name)).toBe(true);
    const within = (small: readonly string[], large: readonly string[]) => small.every((name) => large.includes(name));
    expect([
      within(viewer.permissions, editor.permissions),
      within(editor.permissions, admin.permissions),
      within(admin.permissions, owner.permissions),
    ]).toEqual([true, true, true]);
  });
});

describe('the client', () => {
  const answer =
    (status: number, body: unknown, headers: Record<string, string> = {}) =>
    async () =>
      new Response(body === null ? null : JSON.stringify(body), { status, headers });
  const parameters = { ws: 'w', p: 'p', key: 'a/b' };

  it('encodes path parameters', () => {
    expect(routePath(getFlag, parameters)).toBe('/api/v1/workspaces/w/projects/p/flags/a%2Fb');
    expect(() => routePath(getFlag, { ws: 'w', p: '', key: 'k' })).toThrow(/p is missing/);
  });
  it('returns the data and throws the error of an envelope', async () => {
    const good = createClient({
      baseUrl: 'http://x',
      fetch: answer(200, { data: { key: 'k' }, error: null, meta: { request_id: 'r' } }),
    });
    expect((await good.call(getFlag, { params: parameters })).data.key).toBe('k');
    const bad = createClient({
      baseUrl: 'http://x',
      fetch: answer(
        429,
        { data: null, error: { code: 'SVC-1008', message: 'slow down', status: 429 }, meta: { request_id: 'r' } },
        { 'retry-after': '7' },
      ),
    });
    await expect(bad.call(getFlag, { params: parameters })).rejects.toMatchObject({
      code: 'SVC-1008',
      status: 429,
      retryAfterSeconds: 7,
    });
  });
  it('distinguishes an unreachable server from an unreadable response', async () => {
    const away = createClient({
      baseUrl: 'http://x',
      fetch: async () => {
        throw new TypeError('refused');
      },
    });
    await expect(away.call(getFlag, { params: parameters })).rejects.toMatchObject({ code: 'NET-0000' });
    const nonsense = createClient({ baseUrl: 'http://x', fetch: async () => new Response('<html>', { status: 502 }) });
    await expect(nonsense.call(getFlag, { params: parameters })).rejects.toMatchObject({
      code: 'NET-0001',
      status: 502,
    });
  });
});
