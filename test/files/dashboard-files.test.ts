import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SignedUp } from '../../packages/server/src/testing/test-client.ts';
import { type CommandLine, startCommandLine } from '../flags/command-line.ts';

const permissions = ['dashboards:read', 'dashboards:write', 'telemetry:query'];
const kinds = ['--kinds', 'slos,dashboards'];
const slo = `name: Checkout answers
indicator: { kind: events, source: spans, good: status != error }
objective: 0.999
window: { kind: rolling, period: 30d }
`;
const shop = `name: Shop
variables:
  - { name: service, type: text }
panels:
  - id: requests
    type: time_series
    title: Requests
    x: 0
    y: 0
    w: 12
    h: 8
    query: spans | where service.name == $service | stats n=count() by bucket(auto)
  - id: budget
    type: slo
    x: 12
    y: 0
    w: 12
    h: 8
    slo: Checkout answers
`;
/** As it is exported: fields in the order of the schema, without what has its default. */
const exported = `name: Shop
variables:
  - name: service
    type: text
panels:
  - id: requests
    type: time_series
    title: Requests
    x: 0
    y: 0
    w: 12
    h: 8
    query: spans | where service.name == $service | stats n=count() by bucket(auto)
  - id: budget
    type: slo
    x: 12
    y: 0
    w: 12
    h: 8
    slo: Checkout answers
`;

describe('dashboards as files', () => {
  let commands: CommandLine;
  let user: SignedUp;
  let run: CommandLine['run'];
  let directory: string;
  const dashboards = () => `${user.workspace}/dashboards`;

  beforeAll(async () => {
    commands = await startCommandLine('dashboard-files', permissions);
    ({ user, run } = commands);
    directory = await written('written', { 'slos/answers.yaml': slo, 'dashboards/shop.yaml': shop });
    const applied = await run('apply', ['-f', directory, ...kinds, '--yes']);
    expect(applied, applied.text).toMatchObject({ code: 0 });
  });
  afterAll(async () => {
    await run?.('apply', ['-f', join(commands.directory, 'none'), ...kinds, '--prune', '--yes']);
    await commands?.stop();
  });

  async function written(name: string, files: Readonly<Record<string, string>>): Promise<string> {
    const to = join(commands.directory, name);
    await rm(to, { recursive: true, force: true });
    for (const folder of ['slos', 'dashboards']) await mkdir(join(to, folder), { recursive: true });
    for (const [file, text] of Object.entries(files)) await writeFile(join(to, file), text);
    return to;
  }
  async function named(name: string) {
    const { data } = await user.get(`${dashboards()}?search=${encodeURIComponent(name)}`);
    const { id } = data.find((one: { name: string }) => one.name === name) ?? {};
    return id === undefined ? undefined : (await user.get(`${dashboards()}/${id}`)).data;
  }

  it('creates them with the SLO of the same run, and changes nothing the second time', async () => {
    const [slo] = (await user.get(`${user.workspace}/slos`)).data;
    expect(await named('Shop')).toMatchObject({
      ...{ version: 1, source: 'dashboards/shop.yaml', project: 'default' },
      panels: [{ id: 'requests' }, { id: 'budget', slo: slo.id }],
    });
    expect(await run('apply', ['-f', directory, ...kinds])).toEqual({ code: 0, text: 'nothing to change' });
  });

  it('exports the same files each time, with names instead of ids', async () => {
    const to = join(commands.directory, 'exported');
    const answer = await run('export', ['--dir', to, ...kinds]);
    expect(answer.text).toMatch(/^1 SLO, \d+ dashboards? in /);
    expect(await readdir(join(to, 'dashboards'))).toContain('shop.yaml');
    expect(await readFile(join(to, 'dashboards/shop.yaml'), 'utf8')).toBe(exported);
    expect((await run('apply', ['-f', to, ...kinds])).text).toBe('nothing to change');
  });

  it('refuses changes of them that do not come from a file', async () => {
    const { id, version, panels } = await named('Shop');
    const path = `${dashboards()}/${id}`;
    const refusals = [
      await user.put(path, { name: 'Shop', panels, version }),
      await user.del(path),
      await user.del(`${path}?source=other.yaml`),
      await user.post(`${path}/versions/1/rollback`, {}),
    ];
    for (const refused of refusals) {
      expect(refused.status, refused.text).toBe(409);
      expect(refused.json.error).toMatchObject({ code: 'SVC-7101', message: expect.stringContaining('shop.yaml') });
    }
  });

  it('takes over a dashboard of the page, shows each difference, and gives it back', async () => {
    const panels = [{ id: 'a', type: 'text', text: 'By hand', x: 0, y: 0, w: 6, h: 4 }];
    const made = await user.post(dashboards(), { name: 'Hosts', project: 'default', panels });
    expect(made.status, made.text).toBe(201);
    const hosts = 'name: Hosts\npanels:\n  - { id: a, type: text, text: From the file, x: 0, y: 0, w: 6, h: 4 }\n';
    const to = await written('taken', { 'dashboards/hosts.yaml': hosts });
    const only = ['--kinds', 'dashboards', '--yes'];
    const { text, code } = await run('apply', ['-f', to, ...only]);
    expect(code, text).toBe(0);
    expect(text).toContain('~ dashboard Hosts\n    panels.0.text: "By hand" → "From the file"');
    expect(text).toContain('source: (changed in the page) → dashboards/hosts.yaml');
    expect(await named('Hosts')).toMatchObject({ version: 2, source: 'dashboards/hosts.yaml' });
    const released = await user.put(`${dashboards()}/${made.data.id}`, {
      ...{ name: 'Hosts', panels, version: 2, source: null },
    });
    expect(released.data, released.text).toMatchObject({ version: 3, source: null });
    expect((await user.del(`${dashboards()}/${made.data.id}`)).status).toBe(204);
  });

  it('removes what has no file with --prune, and never what somebody changed meanwhile', async () => {
    const gone = 'name: Gone\npanels: []\n';
    const to = await written('pruned', { 'dashboards/shop.yaml': shop, 'dashboards/gone.yaml': gone });
    const only = ['-f', to, '--kinds', 'dashboards'];
    await run('apply', [...only, '--yes']);
    await rm(join(to, 'dashboards/gone.yaml'));
    const byHand = async () => {
      const { id, version } = await named('Gone');
      const change = { name: 'Gone', panels: [], description: 'by hand', version, source: 'dashboards/gone.yaml' };
      return (await user.put(`${dashboards()}/${id}`, change)).status === 200;
    };
    const late = await run('apply', [...only, '--prune'], { ask: byHand });
    expect(late.text).toContain('! - dashboard Gone: somebody has changed it meanwhile');
    const pruned = await run('apply', [...only, '--prune', '--yes']);
    expect(pruned.text).toBe('- dashboard Gone\n1 done');
    expect(await named('Gone')).toBeUndefined();
  });

  it('reports every problem with its file and line before it writes anything', async () => {
    const panel = (id: string, more: string) => `  - { id: ${id}, x: 0, y: 0, w: 6, h: 4, ${more} }\n`;
    const wrong = await written('wrong', {
      'dashboards/a.yaml': `name: A\npanels:\n${panel('a', 'type: pie')}`,
      'dashboards/b.yaml': `name: B\npanels:\n${panel('a', 'type: slo, slo: Nothing')}${panel('a', 'type: row')}`,
    });
    const { text, code } = await run('apply', ['-f', wrong, '--kinds', 'dashboards', '--yes']);
    expect(code, text).toBe(1);
    for (const part of [
      'dashboards/a.yaml:3: panels.0.type: ',
      'dashboards/b.yaml:4: panels.1.id: another panel has the id a',
      'dashboards/b.yaml:3: panels.0.slo: no SLO is called Nothing',
      'nothing was changed',
    ])
      expect(text).toContain(part);
    expect(await named('B')).toBeUndefined();
  });
});
