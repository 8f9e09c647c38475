import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { int, type KeyValue, nanos, text } from '../../../../../telemetry/src/testing/otlp.ts';
import { testClient } from '../../../testing/test-client.ts';
import { a, b, c, d, id, otherShard, type Sent, sent, startTempoWorld, type TempoWorld } from './testing/shop.ts';

describe('a search of the Tempo API', () => {
  let tempo: TempoWorld;
  beforeAll(async () => {
    tempo = await startTempoWorld();
  }, 120_000);
  afterAll(() => tempo?.world.stop());

  const find = async (q: string, more: Record<string, string> = {}) => {
    const answer = await tempo.get('search', { q, ...tempo.window(), spss: '100', ...more });
    expect(answer.status, `${q}: ${answer.text}`).toBe(200);
    return answer.json.traces as {
      traceID: string;
      spanSets: {
        spans: { spanID: string; name: string; attributes?: KeyValue[] }[];
        matched: number;
        attributes?: KeyValue[];
      }[];
      [more: string]: unknown;
    }[];
  };
  it.each<[string, string[]]>([
    ['{ } | count() > 3', [a]],
    ['{ kind = client } | count() = 1', [c]],
    ['{ } | avg(duration) > 300ms', [c]],
    ['{ } | max(duration) - min(duration) >= 400ms', [a]],
    ['{ } | sum(span.items) > 3', [c]],
    ['{ } | min(span.load) < .5', [a]],
    ['{ } | count() > 1 | avg(duration) < 10ms', [d]],
  ])('keeps the traces of %s', async (q, ids) => {
    expect((await find(q)).map(({ traceID }) => traceID.padStart(32, '0')).sort()).toEqual(ids.sort());
  });

  it('groups the spans of a trace, and merges the groups', async () => {
    const [found] = await find('{ } | by(resource.service.name) | count() > 1');
    expect(found?.traceID.padStart(32, '0')).toBe(d);
    const groups = (await find('{ kind = client } | by(span.table)')).find(({ traceID }) => a.endsWith(traceID));
    expect(groups?.spanSets.map(({ attributes }) => attributes)).toEqual([
      [text('by(span.table)', 'items')],
      [text('by(span.table)', 'prices')],
    ]);
    const merged = await find('{ kind = client } | by(span.table) | count() = 1 | coalesce()');
    expect(merged.map(({ spanSets }) => spanSets.map(({ matched }) => matched))).toEqual([[1], [2]]);
    expect(found?.spanSets[0]?.attributes).toEqual([text('by(resource.service.name)', 'worker'), int('count()', 2)]);
  });

  it('shows the fields of conditions and of select', async () => {
    const [found] = await find('{ status = error && resource.service.name = "db" } | select(span.table, .load, kind)');
    expect(found?.spanSets[0]?.spans[0]).toEqual({
      spanID: id(3),
      name: 'SELECT',
      startTimeUnixNano: nanos(tempo.begin + 20),
      durationNanos: '100000000',
      attributes: [
        text('table', 'items'),
        { key: 'load', value: { doubleValue: 0.75 } },
        text('kind', 'client'),
        text('status', 'error'),
        text('service.name', 'db'),
      ],
    });
    const [tree] = await find(
      '{ kind = server } &>> { status = error && kind = client } | select(nestedSetParent, nestedSetLeft, nestedSetRight)',
    );
    expect(
      tree?.spanSets[0]?.spans.map(({ attributes }) => attributes?.slice(-3).map(({ value }) => value.intValue)),
    ).toEqual([
      ['-1', '1', '8'],
      ['2', '3', '4'],
    ]);
  });

  it('selects and groups by what spans have of their relatives', async () => {
    const found = await find('{ span:childCount > 0 } | select(span:childCount, parent.route, parent.resource.shard)');
    const shown = found.flatMap(({ spanSets }) =>
      spanSets.flatMap(({ spans }) =>
        spans.map(({ spanID, attributes }) => [spanID, ...(attributes ?? []).map(({ key, value }) => [key, value])]),
      ),
    );
    const childrenOf = (id: string) => sent.filter(({ parent }) => parent === id).length;
    const parentOf = (span: Sent) => sent.find((other) => other.trace === span.trace && other.id === span.parent);
    const expected = sent
      .filter((span) => childrenOf(span.id) > 0)
      .map((span) => {
        const parent = parentOf(span);
        const route = parent?.attributes?.route;
        return [
          span.id,
          ['childCount', { intValue: String(childrenOf(span.id)) }],
          ...(route === undefined ? [] : [['parent.route', { stringValue: route }]]),
          ...(parent === undefined
            ? []
            : [['parent.resource.shard', { intValue: String(otherShard[parent.service] ?? 1) }]]),
        ];
      });
    expect(shown.sort()).toEqual(expected.sort());
    const groups = await find('{ } | by(parent.resource.service.name) | count() > 1');
    expect(groups.map(({ spanSets }) => spanSets.map(({ attributes, matched }) => [attributes?.[0], matched]))).toEqual(
      [
        [[{ key: 'by(parent.resource.service.name)', value: { stringValue: '' } }, 2]],
        [[text('by(parent.resource.service.name)', 'cart'), 2]],
      ],
    );
    expect((await find('{ } | max(span:childCount) > 1')).map(({ traceID }) => traceID.padStart(32, '0'))).toEqual([a]);
  });

  it('tells the root, the times and the services of each trace, newest first', async () => {
    const found = await find('{}');
    expect(found.map(({ traceID }) => traceID.padStart(32, '0'))).toEqual([d, c, b, a]);
    expect(found[3]).toMatchObject({
      traceID: a.slice(1),
      rootServiceName: 'web',
      rootTraceName: 'GET /cart',
      startTimeUnixNano: nanos(tempo.begin),
      durationMs: 500,
      serviceStats: { web: { spanCount: 1 }, cart: { spanCount: 1 }, db: { spanCount: 2, errorCount: 1 } },
    });
    expect((await find('{}', { limit: '2' })).map(({ traceID }) => traceID.padStart(32, '0'))).toEqual([d, c]);
    const [few] = await find('{ } && { kind = client }', { spss: '1', limit: '1' });
    expect(few?.spanSets.map(({ spans, matched }) => [spans.length, matched])).toEqual([[1, 3]]);
  });

  it('finds by tags and durations without TraceQL', async () => {
    const ids = async (query: Record<string, string>) =>
      (await tempo.get('search', { ...tempo.window(), ...query })).json.traces.map(({ traceID }: { traceID: string }) =>
        traceID.padStart(32, '0'),
      );
    expect(await ids({ tags: 'service.name=cart code=500' })).toEqual([c]);
    expect(await ids({ tags: 'name="GET /cart"' })).toEqual([c, a]);
    expect(await ids({ tags: 'status.code=error table=prices' })).toEqual([a]);
    expect(await ids({ minDuration: '400ms', maxDuration: '600ms' })).toEqual([a]);
    expect(await ids({ q: '{ kind = server }', maxDuration: '60ms' })).toEqual([b]);
    expect(await ids({})).toHaveLength(4);
  });

  it('sees the spans of its window and of its tenant only', async () => {
    const start = String(tempo.begin / 1000 + 3);
    expect((await find('{}', { start })).map(({ traceID }) => traceID.padStart(32, '0'))).toEqual([d]);
    const bearer = await tempo.world.eve.token(['telemetry:query']);
    const foreign = await testClient(tempo.world.base, { bearer }).get(`/tempo/api/search?q=%7B%7D`, {
      'x-scope-orgid': tempo.ada.workspaceId,
    });
    expect(foreign.json.traces).toEqual([]);
    for (const [start, end] of [
      ['0', '4'],
      ['4', '1700000000000000000'],
      ['1700000000', '1768000000000'],
    ])
      expect((await tempo.get('search', { q: '{}', start: start ?? '', end: end ?? '' })).status).toBe(200);
  });

  it('records a search in the history', async () => {
    await find('{ name = "in the history" }');
    await expect
      .poll(async () => JSON.stringify((await tempo.ada.get(`${tempo.ada.workspace}/query-history`)).json), {
        timeout: 15_000,
      })
      .toContain('in the history');
  });

  it('lists the names of attributes and their values', async () => {
    const { json } = await tempo.get('v2/search/tags', tempo.window());
    const scope = (name: string) => json.scopes.find((one: { name: string }) => one.name === name)?.tags;
    expect(scope('resource')).toEqual(['service.name', 'shard']);
    expect(scope('span')).toEqual(['cached', 'code', 'items', 'load', 'my key', 'route', 'table']);
    expect(scope('intrinsic')).toContain('rootServiceName');
    expect((await tempo.get('v2/search/tags', { ...tempo.window(), scope: 'resource' })).json.scopes).toHaveLength(1);
    expect((await tempo.get('search/tags', tempo.window())).json.tagNames).toContain('service.name');
    const values = async (tag: string, query: Record<string, string> = {}) =>
      (
        await tempo.get(`v2/search/tag/${encodeURIComponent(encodeURIComponent(tag))}/values`, {
          ...tempo.window(),
          ...query,
        })
      ).json.tagValues;
    expect(await values('resource.service.name', { q: '{ status = error }' })).toEqual(
      expect.arrayContaining(['db', 'web', 'cart'].map((value) => ({ type: 'string', value }))),
    );
    expect(await values('.code')).toEqual(
      expect.arrayContaining([
        { type: 'int', value: '200' },
        { type: 'int', value: '500' },
        { type: 'string', value: '200' },
      ]),
    );
    expect(await values('span.cached')).toEqual(expect.arrayContaining([{ type: 'bool', value: 'true' }]));
    expect(await values('span."my key"')).toEqual([{ type: 'string', value: 'x "y"' }]);
    expect(await values('status')).toContainEqual({ type: 'keyword', value: 'error' });
    expect(await values('name', { q: '{ kind = client }' })).toEqual([{ type: 'string', value: 'SELECT' }]);
    expect(await values('name', { q: '{ kind = client && }' })).toHaveLength(7);
    expect(await values('rootName', { q: '{ kind = client }' })).toEqual([{ type: 'string', value: 'GET /cart' }]);
    expect(await values('event:name')).toEqual([{ type: 'string', value: 'exception' }]);
    expect(await values('duration')).toEqual([]);
    expect((await tempo.get('search/tag/service.name/values', tempo.window())).json.tagValues).toContain('worker');
  });

  it.each([
    ['{ name = }', /invalid TraceQL query: parse error near/],
    ['{ .a = $variable }', /variable \$variable is not supported/],
    ['{ status = "error" }', /status cannot be compared with a string/],
    ['{ duration = "x" }', /duration cannot be compared with a string/],
    ['{ 1 + 1 }', /condition, not a number/],
    ['{ nestedSetLeft = 7 }', /nestedSetLeft works only in select\(\)/],
    ['{ nestedSetParent > 3 }', /nestedSetParent works only in select\(\)/],
    ['{ } | by(nestedSetLeft)', /nestedSetLeft works only in select\(\)/],
    ['{ span:childCount = "2" }', /span:childCount cannot be compared with a string/],
    ['{ span:childCount =~ 2 }', /needs a text/],
    ['{ span.code = 9223372036854775808 }', /does not fit into 64 bits/],
    ['{ parent.span.a != span.a }', /!= between two attributes is not supported/],
    ['{} with (exemplars=3)', /exemplars is for metrics queries only/],
    ['{ name =~ "(" }', /pattern|regular expression/i],
    ['{} | rate()', /metrics\/query_range/],
    ['{} with (magic=true)', /hint magic is not supported/],
  ])('refuses %s', async (q, message) => {
    const answer = await tempo.get('search', { q, ...tempo.window() });
    expect([400, 422], answer.text).toContain(answer.status);
    expect(answer.text).toMatch(message);
    expect(answer.headers.get('content-type')).toContain('text/plain');
  });

  it('refuses hostile nesting and length', async () => {
    const nested = await tempo.get('search', { q: `{${'('.repeat(1_100)}true${')'.repeat(1_100)}}` });
    expect([nested.status, nested.text]).toEqual([400, 'invalid TraceQL query: it is nested too deeply']);
    const chain = await tempo.get('search', { q: `{${'!'.repeat(2_000)}true}` });
    expect([chain.status, chain.text]).toEqual([400, 'invalid TraceQL query: it is nested too deeply']);
    const long = await tempo.get('search', { q: `{name="${'x'.repeat(9_000)}"}` });
    expect([long.status, long.text]).toEqual([400, 'invalid TraceQL query: a query has at most 8192 characters']);
  });

  it.each([
    [{ limit: '0' }, 'limit'],
    [{ limit: '99999999' }, 'limit'],
    [{ limit: 'many' }, 'limit'],
    [{ start: 'yesterday' }, 'start'],
    [{ start: '2000', end: '1000' }, 'end'],
    [{ tags: 'a=b', q: '{}' }, 'tags'],
    [{ tags: '=' }, 'tags'],
    [{ minDuration: 'long' }, 'minDuration'],
  ])('refuses %j', async (query, name) => {
    const answer = await tempo.get('search', query);
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(`invalid parameter "${name}"`)]);
  });
});
