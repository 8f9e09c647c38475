import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandLine, startCommandLine } from '../flags/command-line.ts';

const permissions = ['alerts:read', 'alerts:write', 'dashboards:read', 'dashboards:write', 'telemetry:query'];
const fileOf = (path: string) => fileURLToPath(new URL(`../../packages/cli/src/${path}`, import.meta.url));
const rules = fileOf('prometheus-rules/samples/node-exporter.yaml');
const example = fileOf('alertmanager/samples/example.yml');
const keys = {
  TEAM_X_PAGER_PAGERDUTY_ROUTING_KEY: 'x',
  TEAM_Y_PAGER_ROUTING_KEY: 'y',
  TEAM_DB_PAGER_ROUTING_KEY: 'db',
};

describe('imports from Prometheus and Alertmanager', () => {
  let commands: CommandLine;
  beforeAll(async () => {
    commands = await startCommandLine('imports', permissions);
  });
  afterAll(async () => {
    // Rules would be evaluated while other files use the server.
    const rules = ['--kinds', 'alert-rules,recording-rules,slos', '--prune', '--yes'];
    await commands?.run('apply', ['-f', join(commands.directory, 'none'), ...rules]);
    await commands?.stop();
  });
  const list = async (path: string) => (await commands.user.get(`${commands.user.workspace}/${path}`)).data;

  it('imports the rules of the node exporter: the server takes every rule as it is, and a second import changes nothing', async () => {
    const argv = ['prometheus-rules', rules];
    const dry = await commands.run('import', [...argv, '--dry-run']);
    expect(dry, dry.text).toMatchObject({ code: 0 });
    expect(dry.text).toContain('Kept: 24 alert rules and 11 recording rules of 35 rules');
    expect(dry.text).not.toContain('No equivalent');
    expect(await list('alert-rules')).toEqual([]);
    const first = await commands.run('import', [...argv, '--yes']);
    expect(first, first.text).toMatchObject({ code: 0 });
    expect(first.text).toMatch(/\n35 done$/);
    expect(await list('alert-rules')).toHaveLength(24);
    expect(await list('recording-rules')).toHaveLength(11);
    expect((await commands.run('import', [...argv, '--yes'])).text).toMatch(/\nnothing to change$/);
  });

  it('imports the example of Alertmanager, and routes as it does', async () => {
    const missing = await commands.run('import', ['alertmanager', example, '--yes']);
    expect(missing.code).toBe(1);
    expect(missing.text).toContain(
      'receiver team-Y-pager: secrets.routing_key: the channel needs it: set TEAM_Y_PAGER_ROUTING_KEY',
    );
    expect(await list('channels')).toEqual([]);
    const first = await commands.run('import', ['alertmanager', example, '--yes'], { env: keys });
    expect(first, first.text).toMatchObject({ code: 0 });
    expect(first.text).toContain('Kept: 6 channels, 8 routing policies, 1 inhibition rule, 0 time intervals');
    expect((await commands.run('import', ['alertmanager', example, '--yes'])).text).toMatch(/\nnothing to change$/);

    const names = new Map((await list('channels')).map(({ id, name }: { id: string; name: string }) => [id, name]));
    const receivers = async (of: Record<string, string>) => {
      const answer = await commands.user.post(`${commands.user.workspace}/routing-policies/match`, { labels: of });
      return answer.data.policies.flatMap(({ channels }: { channels: string[] }) =>
        channels.map((id) => names.get(id)),
      );
    };
    expect(await receivers({ alertname: 'A' })).toEqual(['team-X-mails']);
    expect(await receivers({ alertname: 'A', service: 'foo2' })).toEqual(['team-X-mails']);
    expect(await receivers({ alertname: 'A', service: 'foo1', severity: 'critical' })).toEqual([
      'team-X-pager email',
      'team-X-pager pagerduty',
    ]);
    expect(await receivers({ alertname: 'A', service: 'files', severity: 'critical' })).toEqual(['team-Y-pager']);
    expect(await receivers({ alertname: 'A', service: 'database', owner: 'team-Z' })).toEqual(['team-DB-pager']);
    expect(await receivers({ alertname: 'A', service: 'database', owner: 'team-Y' })).toEqual(['team-Y-pager']);
  });

  it('writes files without a server, which apply without a change', async () => {
    const output = join(commands.directory, 'files');
    const offline = { env: { FANION_TOKEN: '', FANION_ENDPOINT: 'http://127.0.0.1:1' } };
    const argv = ['prometheus-rules', rules, '--output', output];
    const written = await commands.run('import', argv, offline);
    expect(written, written.text).toMatchObject({ code: 0 });
    const routes = await commands.run('import', ['alertmanager', example, '--output', output], offline);
    expect(routes, routes.text).toMatchObject({ code: 0 });
    expect((await readdir(join(output, 'alert-rules'))).length).toBe(24);
    const applied = await commands.run('apply', ['-f', output, '--prune']);
    expect(applied).toEqual({ code: 0, text: 'nothing to change' });
  });

  it('reports by its exit code', async () => {
    await mkdir(join(commands.directory, 'bad'), { recursive: true });
    const invalid = join(commands.directory, 'bad/invalid.yaml');
    await writeFile(invalid, 'groups: [{ name: g, rules: [{ alert: A, expr: "sum(" }] }]\n');
    const strict = await commands.run('import', ['prometheus-rules', invalid, '--strict', '--yes']);
    expect(strict.code).toBe(3);
    expect(strict.text).toContain('nothing was written: --strict allows no losses');
    const broken = join(commands.directory, 'bad/broken.yaml');
    await writeFile(broken, 'groups: [\n');
    expect(await commands.run('import', ['prometheus-rules', broken])).toMatchObject({ code: 1 });
    expect(await commands.run('import', ['alertmanager', rules])).toMatchObject({ code: 1 });
    expect(await commands.run('import', [])).toMatchObject({ code: 2 });
    for (const product of ['unleash', 'growthbook-experiments', 'prometheus-rules', 'alertmanager']) {
      expect(await commands.run('import', [product])).toMatchObject({ code: 2 });
      expect(await commands.run('import', [product, 'x', '--labels-of', 'y'])).toMatchObject({ code: 2 });
      expect((await commands.run('import', [product, '--help'])).text).toContain('Exit codes: 0 imported');
    }
    expect((await commands.run('import', ['--help'])).text).toContain('Products: launchdarkly, unleash,');
  });
});
