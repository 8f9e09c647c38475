import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { run } from '../../packages/cli/src/index.ts';
import { type SignedUp, signUp, until } from '../../packages/server/src/testing/test-client.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/testing/test-server.ts';

const folder = fileURLToPath(new URL('../../deploy/self', import.meta.url));
const read = (kind: string) =>
  readdirSync(`${folder}/${kind}`).map((file) => parse(readFileSync(`${folder}/${kind}/${file}`, 'utf8')));
const rules = read('alert-rules');
const slos = read('slos');
const panels = read('dashboards').flatMap((dashboard) => dashboard.panels);
const queries: [name: string, query: string][] = [
  ...rules.map(({ name, query }): [string, string] => [`rule: ${name}`, query]),
  ...slos.flatMap(({ name, indicator }): [string, string][] => [
    [`SLO, good: ${name}`, indicator.good],
    [`SLO, total: ${name}`, indicator.total],
  ]),
  ...panels.map(({ title, query }): [string, string] => [`panel: ${title}`, query]),
];

describe('the files for watching the server itself', () => {
  let server: TestServer;
  let operator: SignedUp;
  let project: string;
  let apply: () => Promise<{ code: number; text: string }>;

  beforeAll(async () => {
    server = await startTestServer({
      env: {
        FANION_SELF_TELEMETRY: 'on',
        FANION_SELF_TELEMETRY_SECONDS: '1',
        // Room for all metrics in a second.
        FANION_SELF_TELEMETRY_ITEMS_PER_SECOND: '2000',
      },
    });
    operator = await signUp(server.base, 'operator');
    project = await until(async () => {
      const { data } = await operator.get(`${operator.workspace}/projects`);
      return data.find(({ key }: { key: string }) => key === 'fanion')?.id;
    });
    const permissions = ['alerts:read', 'alerts:write', 'dashboards:read', 'dashboards:write', 'telemetry:query'];
    const token = await operator.token(permissions, {});
    apply = async () => {
      const lines: string[] = [];
      const write = (line: string) => void lines.push(line);
      const env = { FANION_ENDPOINT: server.base, FANION_TOKEN: token };
      const argv = ['apply', '--project', 'fanion', '-f', folder, '--yes'];
      const code = await run(argv, { out: write, err: write, ask: undefined, env });
      return { code, text: lines.join('\n') };
    };
    await until(
      async () => (await rowsOf('metric fanion_ingest_rows_queryable_total | increase | fields value')).length,
    );
  });
  afterAll(() => server?.stop());

  async function answerOf(query: string) {
    const window = { from: 'now-15m', to: 'now' };
    return operator.post(`${operator.workspace}/query`, { query, project, ...window });
  }
  async function rowsOf(query: string): Promise<unknown[][]> {
    return (await answerOf(query)).data?.rows ?? [];
  }

  /** Whether the server has a sample of one of the metrics of a query, with the label values that it selects. */
  async function hasSamples(query: string): Promise<boolean> {
    const names = [...query.matchAll(/\b((?:fanion|process|nodejs)_\w+)/g)].map(([name]) => name);
    const selected = [...query.matchAll(/(\w+) == "([^"]*)"/g)].flatMap(([, label, value]) =>
      label === 'name' ? [] : [`${label}="${value}"`],
    );
    if (query.includes('status =~')) selected.push('status="5');
    const text = await (await fetch(`${server.base}/internal/metrics`)).text();
    return text.split('\n').some((line) => {
      const isOne = names.some(
        (name) => line.startsWith(name) && /^(_bucket|_sum|_count)?[{ ]/.test(line.slice(name.length)),
      );
      return isOne && selected.every((label) => line.includes(label));
    });
  }

  it('are taken by fanion apply, and do not change when they are applied again', async () => {
    const first = await apply();
    expect(first, first.text).toMatchObject({ code: 0 });
    const created = await operator.get(`${operator.workspace}/alert-rules?project=${project}&limit=200`);
    const names = created.data.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(rules.map(({ name }) => name)));
    const second = await apply();
    expect(second, second.text).toMatchObject({ code: 0 });
    expect(second.text).toMatch(/no changes|nothing to change/i);
  });

  it.each(queries)('%s has an answer', async (_name, query) => {
    const answer = await answerOf(query);
    expect(answer.status, answer.text).toBe(200);
    if (!/^metric/.test(query) || !(await hasSamples(query))) return;
    // A metric that has only just begun has no growth yet.
    await until(async () => (await rowsOf(query)).flat().some((value) => typeof value === 'number'));
    // A name that nothing has, such as a misspelled label, makes a warning.
    await until(async () => ((await answerOf(query)).json.meta.warnings ?? []).length === 0);
  });
});
