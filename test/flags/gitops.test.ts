import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../packages/cli/src/files/connect.ts';
import { execute } from '../../packages/cli/src/flags/execute.ts';
import { plan } from '../../packages/cli/src/flags/plan.ts';
import { readRemote } from '../../packages/cli/src/flags/remote.ts';
import { type SignedUp, type TestClient, testClient } from '../../packages/server/src/testing/test-client.ts';
import { type CommandLine, startCommandLine } from './command-line.ts';

/** `fanion export`, `apply` and `import` against the composed server, with an API token as in a pipeline. */
describe('flags as files', () => {
  let commands: CommandLine;
  let user: SignedUp;
  let directory: string;
  let run: CommandLine['run'];
  const sample = (name: string) =>
    fileURLToPath(new URL(`../../packages/cli/src/flags/import/samples/${name}.json`, import.meta.url));

  beforeAll(async () => {
    commands = await startCommandLine('gitops');
    ({ user, directory, run } = commands);
  });
  afterAll(() => commands?.stop());

  const put = (name: string, content: string) => writeFile(join(directory, name), content);
  const evaluate = async (sdk: TestClient, key: string, context: object) =>
    (await sdk.post(`/api/v1/sdk/flags/evaluate/${key}`, { context })).data;

  it('exports an empty project, and rejects an empty directory', async () => {
    const exported = await run('export', ['--dir', directory, '--kinds', 'flags,segments']);
    expect(exported).toEqual({ code: 0, text: `0 flags and 0 segments in ${directory}` });
    const { code, text } = await run('apply', ['-f', directory]);
    expect(code).toBe(1);
    expect(text).toContain('no .yaml or .json file in flags/, segments/, channels/');
  });

  it('exports what the token may read, says what it leaves out, and fails if that was asked for', async () => {
    const { code, text } = await run('export', ['--dir', join(directory, 'part')]);
    expect(code, text).toBe(0);
    expect(text).toMatch(/^channels are left out: .*alerts:read/m);
    expect(text).toMatch(/^0 flags and 0 segments, 0 guarded releases in /m);
    expect(await run('export', ['--dir', directory, '--kinds', 'channels'])).toMatchObject({ code: 1 });
    expect(await run('export', ['--dir', directory, '--kinds', 'silences'])).toMatchObject({ code: 2 });
  });

  it('imports, and changes nothing the second time', async () => {
    const argv = [
      'launchdarkly',
      sample('launchdarkly'),
      sample('launchdarkly-segments'),
      '--environment-map',
      'test=development',
    ];
    const dry = await run('import', [...argv, '--dry-run']);
    expect(dry.text).toContain('+ flag new-basket');
    expect(dry.text).toContain('this was a dry run');
    expect((await user.get(`${user.project}/flags`)).data).toEqual([]);

    const first = await run('import', [...argv, '--yes']);
    expect(first, first.text).toMatchObject({ code: 0 });
    expect(first.text).toContain('No equivalent (5):');
    const second = await run('import', [...argv, '--yes']);
    expect(second.text).toContain('nothing to change');

    const sdk = testClient(commands.server.base, { bearer: await user.sdkKey() });
    expect(await evaluate(sdk, 'new-basket', { targetingKey: 'anna' })).toMatchObject({
      value: true,
      reason: 'TARGET_MATCH',
    });
    expect(await evaluate(sdk, 'theme', { targetingKey: 'u' })).toMatchObject({ reason: 'FALLTHROUGH' });
  });

  it.each(['unleash', 'flagd', 'growthbook'])('imports the sample of %s', async (product) => {
    const map = product === 'unleash' ? [] : ['--environment-map', 'default=development'];
    const argv = [product, sample(product), ...map];
    const first = await run('import', [...argv, '--yes']);
    expect(first, first.text).toMatchObject({ code: 0 });
    const second = await run('import', [...argv, '--yes']);
    expect(second.text).toContain('nothing to change');
  });

  it('imports all or nothing: a rejection at the end rolls back the earlier writes', async () => {
    await user.post(`${user.project}/flags`, { key: 'ramping', name: 'Ramping', kind: 'boolean' });
    const path = `${user.project}/environments/production/flags/ramping`;
    const body = { enabled: true, off_variant: 'false', fallthrough: { variant: 'false' }, version: 0 };
    expect((await user.put(path, body)).status).toBe(200);
    const ramp = { variant: 'true', steps: [{ weight: 10_000, hold: '1h' }] };
    expect((await user.post(`${path}/ramp`, ramp)).status).toBe(201);
    const keys = async () =>
      (await user.get(`${user.project}/flags?limit=500`)).data.map(({ key }: { key: string }) => key);
    const before = await keys();

    const production = { on: true, salt: 's', fallthrough: { variation: 0 }, offVariation: 1 };
    const flag = (key: string) => ({
      key,
      kind: 'boolean',
      variations: [{ value: true }, { value: false }],
      environments: { production },
    });
    const file = join(directory, 'refused.json');
    await writeFile(file, JSON.stringify({ items: [flag('fresh'), flag('ramping')] }));
    const { code, text } = await run('import', ['launchdarkly', file, '--yes']);
    expect(code, text).toBe(1);
    expect(text).toMatch(/! ~ flag ramping in production: .*ramp/);
    expect(text).toContain('nothing was changed');
    expect(await keys()).toEqual(before);
    await user.post(`${path}/ramp/abort`, {});
    const again = await run('import', ['launchdarkly', file, '--yes']);
    expect(again, again.text).toMatchObject({ code: 0 });
    expect(await keys()).toContain('fresh');
  });

  it('removes prerequisites before it adds others, so that no cycle arises in between', async () => {
    const file = join(directory, 'turned.json');
    const required = (first: string[], second: string[]) => {
      const flag = (key: string, keys: string[]) => ({
        key,
        kind: 'boolean',
        variations: [{ value: true }, { value: false }],
        environments: {
          production: {
            on: true,
            salt: 's',
            fallthrough: { variation: 0 },
            offVariation: 1,
            prerequisites: keys.map((parent) => ({ key: parent, variation: 0 })),
          },
        },
      });
      return writeFile(file, JSON.stringify({ items: [flag('turn-a', first), flag('turn-b', second)] }));
    };
    await required([], ['turn-a']);
    expect(await run('import', ['launchdarkly', file, '--yes'])).toMatchObject({ code: 0 });
    await required(['turn-b'], []);
    const turned = await run('import', ['launchdarkly', file, '--yes']);
    expect(turned, turned.text).toMatchObject({ code: 0 });
  });

  it('exports the project, and applying the export changes nothing', async () => {
    for (const format of ['yaml', 'json']) {
      const dir = join(directory, format);
      expect(await run('export', ['--dir', dir, '--format', format])).toMatchObject({ code: 0 });
      expect(await readdir(join(dir, 'segments'))).toContain(`blocked.${format}`);
      const { code, text } = await run('apply', ['-f', dir]);
      expect({ code, text }).toEqual({ code: 0, text: 'nothing to change' });
    }
  });

  it('applies a change made in a file: shows the difference, writes it, and records its comment in the history', async () => {
    const file = 'yaml/flags/theme.yaml';
    const text = await readFile(join(directory, file), 'utf8');
    await put(
      file,
      text
        .replace('name: Theme', 'name: Colours')
        .replace('weight: 50000', 'weight: 90000')
        .replace('weight: 50000', 'weight: 10000'),
    );
    const argv = ['-f', join(directory, 'yaml')];
    const asked = await run('apply', argv);
    expect(asked.code).toBe(2);
    expect(asked.text).toContain('name: "Theme" → "Colours"');
    expect(asked.text).toContain('fallthrough.rollout.weights.0.weight: 50000 → 90000');
    const done = await run('apply', [...argv, '--yes', '--comment', 'from the pipeline']);
    expect(done, done.text).toMatchObject({ code: 0 });
    expect(done.text).toContain('2 done');
    const history = await user.get(`${user.project}/flags/theme/changes`);
    expect(history.data[0].comment).toMatch(/^from the pipeline \[[0-9a-f]{12}\]$/);
  });

  it('creates the flags of a file with their segments and prerequisites, and keeps rule ids', async () => {
    await put(
      'yaml/segments/night.yaml',
      'key: night\nincluded: [owl]\nrules:\n  - clauses: [{ op: in_segment, values: [blocked] }]\n',
    );
    const flag = (extra: string) => `key: lights
kind: string
variants: [{ key: off, value: dark }, { key: "on", value: bright }]
prerequisites: [{ flag: shop-open, variants: ["true"] }]
environments:
  production:
    enabled: true
    fallthrough: { variant: off }
    rules:
${extra}      - clauses: [{ op: in_segment, values: [night] }]
        rollout: { weights: [{ variant: "on", weight: 50000 }, { variant: off, weight: 50000 }] }
`;
    await put('yaml/flags/lights.yaml', flag(''));
    const argv = ['-f', join(directory, 'yaml'), '--yes'];
    const first = await run('apply', argv);
    expect(first, first.text).toMatchObject({ code: 0 });
    expect((await run('apply', argv)).text).toBe('nothing to change');
    const path = `${user.project}/environments/production/flags/lights`;
    const before = (await user.get(path)).data.rules[0].id;
    await put('yaml/flags/lights.yaml', flag('      - { variant: "on", clauses: [{ attribute: vip, op: exists }] }\n'));
    expect(await run('apply', argv)).toMatchObject({ code: 0 });
    const { rules } = (await user.get(path)).data;
    expect(rules).toHaveLength(2);
    expect(rules[1].id).toBe(before);
  });

  it('removes a variant after nothing serves it any more', async () => {
    const flag = `key: lights
kind: string
variants: [{ key: off, value: dark }]
environments: { production: { enabled: false, fallthrough: { variant: off } } }
`;
    await put('yaml/flags/lights.yaml', flag);
    const { code, text } = await run('apply', ['-f', join(directory, 'yaml'), '--yes']);
    expect(code, text).toBe(0);
    expect(
      (await user.get(`${user.project}/flags/lights`)).data.variants.map(({ key }: { key: string }) => key),
    ).toEqual(['off']);
  });

  it('reports every problem before it writes anything', async () => {
    const dir = join(directory, 'wrong');
    await run('export', ['--dir', dir]);
    await writeFile(
      join(dir, 'flags/theme.yaml'),
      'key: theme\nkind: boolean\nvariants: [{ key: a, value: true }]\nenvironments:\n  mars: { enabled: true, fallthrough: { variant: a }, rules: [{ variant: a, clauses: [{ op: in_segment, values: [nobody] }] }] }\n',
    );
    const { code, text } = await run('apply', ['-f', dir, '--yes']);
    expect(code).toBe(1);
    for (const part of ['kind is string', 'no environment mars', 'no segment nobody', 'nothing was changed'])
      expect(text).toContain(part);
    await writeFile(join(dir, 'flags/theme.yaml'), 'key: theme\nkind: sound\nvarients: []\n');
    const invalid = await run('apply', ['-f', dir, '--yes']);
    expect(invalid.text).toContain('theme.yaml');
    expect(invalid.text).toContain('varients');
  });

  it('does not overwrite concurrent changes, and continues with the rest', async () => {
    const connection = await connect({ endpoint: commands.server.base, token: commands.token }, {});
    const remote = await readRemote(connection);
    const flags = [...remote.flags.values()].map(({ document }) => document);
    const switched = flags
      .filter(({ key }) => key === 'shop-open' || key === 'everyone')
      .map((flag) => ({ ...flag, environments: { production: { ...flag.environments.production, enabled: false } } }));
    const { steps } = plan({ flags: switched as typeof flags, segments: [] }, remote);
    expect(steps).toHaveLength(2);

    const path = `${user.project}/environments/production/flags/shop-open`;
    const { enabled, off_variant, fallthrough, rules, version } = (await user.get(path)).data;
    const targets = [{ variant: 'true', values: ['by-hand'] }];
    const body = { enabled, off_variant, fallthrough, targets, rules, version, comment: 'by hand' };
    expect((await user.put(path, body)).status).toBe(200);

    const results = await execute(connection, steps, 'late', () => {});
    expect(results.map(({ step, outcome }) => [step.title, outcome]).sort()).toEqual([
      ['~ flag everyone in production', 'done'],
      ['~ flag shop-open in production', 'failed'],
    ]);
    expect((await user.get(path)).data.enabled).toBe(true);
  });

  it('writes a segment larger than the request limit, and then only its changes', async () => {
    const keys = Array.from({ length: 120_000 }, (_, i) => `customer-with-a-rather-long-identifier-${i}`);
    const dir = join(directory, 'large');
    const segment = { key: 'large', included: keys.slice(0, -1), excluded: ['somebody'] };
    await mkdir(join(dir, 'segments'), { recursive: true });
    const write = (content: object) => writeFile(join(dir, 'segments/large.json'), JSON.stringify(content));
    await write(segment);
    const argv = ['-f', dir, '--yes'];
    const first = await run('apply', argv);
    expect(first, first.text).toMatchObject({ code: 0 });
    await write({ ...segment, included: keys.slice(1) });
    const second = await run('apply', argv);
    expect(second.text).toContain(`included: − "${keys[0]}"`);
    expect(second.text).toContain(`included: + "${keys.at(-1)}"`);
    const { included_count, excluded } = (await user.get(`${user.project}/segments/large`)).data;
    expect({ included_count, excluded }).toEqual({ included_count: 119_999, excluded: ['somebody'] });
    expect((await run('apply', argv)).text).toContain('nothing to change');
  });

  it('waits for approval if required, and does not request it twice', async () => {
    await run('export', ['--dir', join(directory, 'yaml')]);
    await user.patch(`${user.project}/environments/production`, { requires_approval: true });
    const file = 'yaml/flags/new-basket.yaml';
    const text = await readFile(join(directory, file), 'utf8');
    const { enabled } = (await user.get(`${user.project}/environments/production/flags/new-basket`)).data;
    expect(enabled).toBe(true);
    await put(file, text.replace(/(production:\n\s+enabled: )true/, '$1false'));
    const argv = ['-f', join(directory, 'yaml'), '--yes'];
    const first = await run('apply', argv);
    expect(first.text).toContain('1 wait for approval');
    const second = await run('apply', argv);
    expect(second.text).toContain('waits for approval already');
    const pending = await user.get(`${user.project}/flag-changes?status=pending`);
    expect(pending.data).toHaveLength(1);
  });

  it.each(['import', 'apply', 'export'])('%s --help shows the usage and succeeds', async (name) => {
    for (const option of ['--help', '-h']) {
      const { code, text } = await run(name, [option], { env: { FANION_TOKEN: '' } });
      expect(code).toBe(0);
      expect(text).toContain(`fanion ${name}`);
      expect(text).toContain('--token');
    }
  });

  it('rejects a map without environments, and writes nothing', async () => {
    const argv = ['flagd', sample('flagd'), '--yes'];
    const wrong = await run('import', [...argv, '--environment-map', 'default=mars']);
    expect(wrong).toMatchObject({ code: 2, text: expect.stringContaining('the project has no environment "mars"') });
    const other = await run('import', [...argv, '--environment-map', 'live=development']);
    expect(other).toMatchObject({ code: 2, text: expect.stringContaining('the file has no environment "live"') });
    const none = await run('import', argv);
    expect(none).toMatchObject({ code: 2, text: expect.stringContaining('--environment-map default=') });
  });

  it('reports invalid arguments', async () => {
    expect(await run('apply', [])).toMatchObject({ code: 2 });
    expect(await run('import', ['excel', 'x.xls'])).toMatchObject({ code: 2 });
    expect(await run('export', ['--dir', directory], { env: { FANION_TOKEN: '' } })).toMatchObject({ code: 2 });
    const wrong = await run('export', ['--dir', directory], { env: { FANION_TOKEN: 'svc_pat_nobody' } });
    expect(wrong).toMatchObject({ code: 1, text: expect.stringContaining('SVC-2001') });
    const missing = await run('import', ['flagd', '/nowhere.json']);
    expect(missing).toMatchObject({ code: 1, text: expect.stringContaining('/nowhere.json') });
  });
});
