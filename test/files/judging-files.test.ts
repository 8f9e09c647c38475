import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandLine, startCommandLine } from '../flags/command-line.ts';
import { flagsOf } from '../flags/support.ts';

const kinds = 'channels,metrics,guarded-releases,experiments';
const permissions = [
  ...['flags:read', 'flags:write', 'experiments:read', 'experiments:write', 'telemetry:query'],
  ...['alerts:read', 'alerts:write'],
];

const files: Readonly<Record<string, string>> = {
  'channels/team.yaml': 'name: Team\nkind: email\nconfig: { to: [team@example.com] }\n',
  'metrics/purchase.yaml': `key: purchase
name: Purchase
kind: conversion
source: logs | where body == "purchase"
unit: user.id
`,
  'metrics/revenue.yaml': `key: revenue
name: Revenue per user
kind: sum
source: logs | where body == "purchase"
value: attr["total"]
unit: user.id
cap: 0.99
`,
  'guarded-releases/banner.yaml': `flag: banner
environment: production
variant: "true"
steps: [{ weight: 1000, hold: 30m }, { weight: 50000, hold: 1d, min_units: 500 }]
guards: [{ metric: error_rate, tolerance: 0.01 }, { metric: revenue, direction: up_is_good, on_regression: pause }]
channels: [Team]
`,
  'experiments/button.yaml': `key: button
name: Green button
hypothesis: It is easier to see.
flag: button
environment: production
control: "false"
variants: [{ variant: "false", weight: 50000 }, { variant: "true", weight: 50000 }]
metrics: { goals: [purchase], guardrails: [error_rate] }
analysis: { minimal_effect: 0.02 }
`,
};

describe('metrics, guarded releases and experiments as files', () => {
  let commands: CommandLine;
  let directory: string;

  beforeAll(async () => {
    commands = await startCommandLine('judging-files', permissions);
    directory = join(commands.directory, 'written');
    await writeAll(directory, files);
    await makeFlags(commands);
  });
  afterAll(() => commands?.stop());

  async function makeFlags({ user }: CommandLine) {
    const flags = flagsOf(user);
    for (const key of ['banner', 'button']) {
      await flags.create(key);
      await flags.serve(key, { fallthrough: { variant: 'false' } });
    }
  }
  const writeAll = async (to: string, content: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(content)) {
      await mkdir(dirname(join(to, name)), { recursive: true });
      await writeFile(join(to, name), text);
    }
  };
  const readAll = async (from: string) => {
    const found: Record<string, string> = {};
    for (const kind of (await readdir(from)).sort())
      for (const name of (await readdir(join(from, kind))).sort())
        found[`${kind}/${name}`] = await readFile(join(from, kind, name), 'utf8');
    return found;
  };
  const apply = (...more: string[]) => commands.run('apply', ['-f', directory, '--yes', ...more]);
  const edited = (name: string, from: string, to: string) =>
    writeAll(directory, { [name]: (files[name] ?? '').replace(from, to) });

  it('are created in one run, metrics first, and a second run changes nothing', async () => {
    const first = await apply();
    expect(first, first.text).toMatchObject({ code: 0 });
    expect(first.text).toContain('+ metric purchase');
    expect(first.text).toContain('+ guarded release banner');
    expect(first.text).toContain('+ experiment button');
    expect(await apply()).toEqual({ code: 0, text: 'nothing to change' });
    const { user } = commands;
    const release = await user.get(`${user.project}/environments/production/flags/banner/guarded-release`);
    expect(release.data).toMatchObject({ state: 'draft', channels: [expect.stringMatching(/^[0-9a-f-]{36}$/)] });
    expect((await user.get(`${user.project}/experiments/button`)).data).toMatchObject({
      state: 'draft',
      analysis: { minimal_effect: 0.02, alpha: 0.05 },
    });
  });

  it('are exported without ids and defaults, the same each time, for another workspace too', async () => {
    const [one, two] = [join(commands.directory, 'one'), join(commands.directory, 'two')];
    const exported = await commands.run('export', ['--dir', one, '--kinds', kinds]);
    expect(exported).toEqual({ code: 0, text: `1 channel, 2 metrics, 1 guarded release, 1 experiment in ${one}` });
    await commands.run('export', ['--dir', two, '--kinds', kinds]);
    const written = await readAll(one);
    expect(await readAll(two)).toEqual(written);
    expect(await commands.run('apply', ['-f', one])).toEqual({ code: 0, text: 'nothing to change' });
    expect(written['guarded-releases/banner.yaml']).toBe(`flag: banner
environment: production
variant: "true"
steps:
  - weight: 1000
    hold: 30m
  - weight: 50000
    hold: 1d
    min_units: 500
guards:
  - metric: error_rate
    tolerance: 0.01
  - metric: revenue
    direction: up_is_good
    on_regression: pause
channels:
  - Team
`);
    expect(written['experiments/button.yaml']).toContain('goals:\n    - purchase\n');
    expect(JSON.stringify(written)).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);
    const other = await startCommandLine('judging-files-copy', permissions);
    try {
      await makeFlags(other);
      const copied = await other.run('apply', ['-f', one, '--yes']);
      expect(copied, copied.text).toMatchObject({ code: 0 });
      const three = join(commands.directory, 'three');
      await other.run('export', ['--dir', three, '--kinds', kinds]);
      expect(await readAll(three)).toEqual(written);
    } finally {
      await other.stop();
    }
  });

  it('show a metric that does not exist, and a query that does not compile, before anything is written', async () => {
    await edited('experiments/button.yaml', 'guardrails: [error_rate]', 'guardrails: [errors]');
    await edited('metrics/purchase.yaml', 'logs | where', 'logs | were');
    const { code, text } = await apply();
    expect(code).toBe(1);
    expect(text).toMatch(/experiments\/button\.yaml:\d+: metrics\.guardrails\.0: no metric has the key errors/);
    expect(text).toMatch(/metrics\/purchase\.yaml:4: source: /);
    await writeAll(directory, files);
  });

  it('change what runs only where it may change, and remove users before what they use', async () => {
    const { user } = commands;
    expect((await user.post(`${user.project}/experiments/button/start`)).status).toBe(200);
    await edited('experiments/button.yaml', 'guardrails: [error_rate]', 'guardrails: [error_rate, latency_p95]');
    const added = await apply();
    expect(added, added.text).toMatchObject({ code: 0 });
    expect((await user.get(`${user.project}/experiments/button`)).data.metrics.guardrails).toHaveLength(2);
    await edited('experiments/button.yaml', 'Green button', 'Blue button');
    const refused = await apply();
    expect(refused.code).toBe(1);
    expect(refused.text).toContain('only a draft can be replaced');

    expect((await user.post(`${user.project}/experiments/button/stop`)).status).toBe(200);
    for (const folder of ['metrics', 'guarded-releases', 'experiments'])
      await rm(join(directory, folder), { recursive: true });
    const pruned = await apply('--prune', '--kinds', 'metrics,guarded-releases,experiments');
    expect(pruned, pruned.text).toMatchObject({ code: 0 });
    expect(pruned.text.split('\n').slice(0, 4)).toEqual([
      '- experiment button',
      '- guarded release banner',
      expect.stringMatching(/^- metric /),
      expect.stringMatching(/^- metric /),
    ]);
  });
});
