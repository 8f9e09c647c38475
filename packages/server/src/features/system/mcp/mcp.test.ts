import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newWorkspace, type SignedUp, signUp, testClient, until } from '../../../testing/test-client.ts';
import { startTestServer, type TestServer } from '../../../testing/test-server.ts';
import { tools } from './tools.ts';

const permissions = [
  'telemetry:query',
  'workspace:read',
  'alerts:read',
  'dashboards:read',
  'flags:read',
  'flags:write',
  'experiments:read',
];
const flag = { project: 'default', flag: 'checkout' };
const place = { ...flag, environment: 'production' };
const trace = { trace_id: '0af7651916cd43dd8448eb211c80319c' };
const calls: readonly [string, Record<string, unknown>][] = [
  ['query', { query: 'spans | stats n=count()' }],
  ['explain_query', { query: 'spans | limit 1' }],
  ['list_fields', {}],
  ['list_services', {}],
  ['contrast', { selection: { where: 'status == error' } }],
  ['list_alerts', {}],
  ['slo_status', {}],
  ['list_flags', { project: 'default' }],
  ['get_flag', flag],
  ['get_flag', place],
  ['explain_evaluation', { ...place, context: { targetingKey: 'user-1' } }],
  ['experiment_results', { project: 'default' }],
  ['propose_flag_change', { ...place, patch: { enabled: true } }],
];

describe('MCP', () => {
  let server: TestServer;
  let user: SignedUp;
  let token: string;
  const clients: Client[] = [];
  const connect = async (bearer: string, headers: Record<string, string> = {}) => {
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(
      new StreamableHTTPClientTransport(new URL('/mcp', server.base), {
        requestInit: { headers: { authorization: `Bearer ${bearer}`, ...headers } },
      }),
    );
    clients.push(client);
    return client;
  };
  const call = async (bearer: string, name: string, given: Record<string, unknown>) => {
    const client = await connect(bearer);
    const answer = await client.callTool({ name, arguments: given });
    const content = answer.content as { text: string }[];
    return { isError: answer.isError === true, text: content.map(({ text }) => text).join('\n') };
  };

  beforeAll(async () => {
    server = await startTestServer();
    user = await signUp(server.base);
    token = await user.token(permissions, {});
    await user.post(`${user.project}/flags`, { key: 'checkout', name: 'Checkout', kind: 'boolean' });
  });
  afterAll(async () => {
    for (const client of clients) await client.close();
    await server?.stop();
  });

  it('lists every tool with its arguments', async () => {
    const listed = await (await connect(token)).listTools();
    expect(listed.tools.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
  });
  it.each(calls)('%s answers', async (name, given) => {
    expect(await call(token, name, given)).toMatchObject({ isError: false });
  });
  it.each([...calls, ['get_trace', trace] as const])('%s needs the permission of its route', async (name, given) => {
    const narrow = await user.token(['telemetry:ingest']);
    const { isError, text } = await call(narrow, name, given);
    expect([isError, text]).toEqual([true, expect.stringContaining('permission')]);
  });
  it('keeps a proposed change waiting', async () => {
    const { text } = await call(token, 'propose_flag_change', { ...place, patch: { enabled: true } });
    expect(JSON.parse(text).data).toMatchObject({ status: 'pending', apply_at: null });
    const targeting = await user.get(`${user.project}/environments/production/flags/checkout`);
    expect(targeting.data.enabled).toBe(false);
  });
  it.each(calls.filter(([, { project }]) => project !== undefined))(
    '%s does not find what belongs to others',
    async (name, given) => {
      const other = await newWorkspace(user, "another's");
      const { isError, text } = await call(token, name, { ...given, project: other.projectId });
      expect([isError, text]).toEqual([true, expect.stringContaining('no such project')]);
    },
  );
  it('says that there is no such trace', async () => {
    expect(await call(token, 'get_trace', trace)).toEqual({
      isError: true,
      text: expect.stringContaining('no trace has the id'),
    });
  });
  it('rejects arguments that a tool does not have, and tools that do not exist', async () => {
    const { isError, text } = await call(token, 'list_services', { servce: 'cart' });
    expect([isError, text]).toEqual([true, expect.stringContaining('unknown argument "servce"')]);
    await expect(call(token, 'drop_tables', {})).rejects.toThrow('unknown tool drop_tables');
  });
  it('records queries in the history of the workspace', async () => {
    await call(token, 'query', { query: 'logs | stats mcp=count()' });
    await until(async () => {
      const { data } = await user.get(`${user.workspace}/query-history`);
      return data.some(({ query }: { query: string }) => query === 'logs | stats mcp=count()');
    });
  });
  it('returns the diagnostics of an invalid query', async () => {
    const { isError, text } = await call(token, 'query', { query: 'spans | stat n=count()' });
    expect([isError, text]).toEqual([true, expect.stringContaining('stats')]);
  });
  it('says that it cut an answer', async () => {
    await user.post(`${user.project}/flags`, { key: 'second', name: 'Second', kind: 'boolean' });
    const { text } = await call(token, 'list_flags', { project: 'default', limit: 1 });
    expect(text).toContain('This answer was cut');
  });
  it('serves the OQL reference and the fields', async () => {
    const client = await connect(token);
    const [reference] = (await client.readResource({ uri: 'oql://reference' })).contents;
    expect(reference).toMatchObject({ text: expect.stringContaining('count()') });
    expect((await client.readResource({ uri: 'oql://fields' })).contents).toHaveLength(1);
  });
  it('ignores an unknown session', async () => {
    expect((await (await connect(token, { 'mcp-session-id': 'unknown' })).ping()) ?? {}).toEqual({});
  });
  it('rejects malformed JSON, other origins and other methods, and answers a batch', async () => {
    const client = testClient(server.base, { bearer: token });
    const malformed = await client.post('/mcp', '{"jsonrpc":');
    expect([malformed.status, malformed.json.error.code]).toEqual([400, -32700]);
    expect((await client.post('/mcp', { id: 1 })).json.error.code).toBe(-32600);
    const ping = { jsonrpc: '2.0', method: 'ping' };
    expect((await client.post('/mcp', ping, { origin: 'https://evil.example' })).status).toBe(403);
    const batch = await client.post('/mcp', [
      { ...ping, id: 1 },
      { ...ping, id: 2 },
    ]);
    expect(batch.json.map(({ id }: { id: number }) => id)).toEqual([1, 2]);
    expect([(await client.get('/mcp')).status, (await client.del('/mcp')).status]).toEqual([405, 405]);
    const nobody = await testClient(server.base).post('/mcp', ping);
    expect([nobody.status, nobody.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  });
});
