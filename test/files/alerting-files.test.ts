import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SignedUp } from '../../packages/server/src/testing/test-client.ts';
import { type CommandLine, startCommandLine } from '../flags/command-line.ts';

const kinds = 'channels,routing-policies,inhibition-rules,recording-rules,alert-rules,slos';
const permissions = ['alerts:read', 'alerts:write', 'dashboards:read', 'dashboards:write', 'telemetry:query'];
const env = { ON_CALL_URL: 'https://hooks.example.com/on-call', ON_CALL_SECRET: 'a-secret', PAGER: 'routing-key' };

const files: Readonly<Record<string, string>> = {
  'channels/on-call.yaml': `name: On call
kind: webhook
secrets: { url: ON_CALL_URL, secret: ON_CALL_SECRET }
send_resolved: false
fallback: Pager
`,
  'channels/pager.yaml': 'name: Pager\nkind: pagerduty\nsecrets: { routing_key: PAGER }\n',
  'routing-policies/root.yaml': `channels: [On call]
group_by: [service.name]
policies:
  - name: Checkout
    matchers: ['team="checkout"', '"service.name"=~"shop-.*"']
    channels: [Pager]
    mute: [{ weekdays: [saturday, sunday], time_zone: Europe/Berlin }]
    policies:
      - name: Quiet
        matchers: [severity=info]
        channels: []
  - name: Rest
    matchers: ['team!=""']
    repeat_interval: 12h
`,
  'inhibition-rules/critical.yaml': `name: Critical before warning
source: [severity=critical]
target: ['severity=~"warning|info"']
equal: [service.name]
`,
  'recording-rules/requests.yaml':
    'name: shop.requests\nquery: spans | stats value=count() by service.name\nevery: 1m\n',
  'alert-rules/errors.yaml': `name: Checkout fails
query: spans | stats value=ratio(status == error) by service.name
condition: { op: ">", threshold: 0.05, for: 5m }
labels: { severity: warning }
annotations: { summary: '{{ labels["service.name"] }} fails' }
`,
  // The same name as the other one, as Prometheus' rules often have it.
  'alert-rules/errors-critical.yaml': `name: Checkout fails
query: spans | stats value=ratio(status == error) by service.name
condition: { op: ">", threshold: 0.5, for: 5m }
labels: { severity: critical }
`,
  'slos/answers.yaml': `name: Checkout answers
indicator: { kind: events, source: spans, good: status != error }
objective: 0.999
window: { kind: rolling, period: 30d }
burn_alerts: true
`,
};

describe('alerting as files', () => {
  let commands: CommandLine;
  let user: SignedUp;
  let run: CommandLine['run'];
  let directory: string;

  beforeAll(async () => {
    commands = await startCommandLine('alerting-files', permissions);
    ({ user, run } = commands);
    directory = join(commands.directory, 'written');
    await writeAll(directory, files);
  });
  afterAll(async () => {
    // Rules would be evaluated while other files use the server.
    const rules = ['--kinds', 'alert-rules,recording-rules,slos', '--prune', '--yes'];
    await commands?.run('apply', ['-f', join(commands.directory, 'none'), ...rules]);
    await commands?.stop();
  });

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
  const list = async (path: string) => (await user.get(`${user.workspace}/${path}`)).data;

  it('creates everything, secrets from the environment, and changes nothing the second time', async () => {
    const dry = await run('apply', ['-f', directory, '--dry-run'], { env });
    expect(dry, dry.text).toMatchObject({ code: 0 });
    expect(dry.text).toContain('+ alert rule Checkout fails');
    expect(await list('channels')).toEqual([]);
    const first = await run('apply', ['-f', directory, '--yes'], { env });
    expect(first, first.text).toMatchObject({ code: 0 });
    // Without the variables too: the server has the secrets.
    expect(await run('apply', ['-f', directory])).toEqual({ code: 0, text: 'nothing to change' });
    expect((await run('apply', ['-f', directory, '--prune'])).text).toBe('nothing to change');

    const policies = await list('routing-policies');
    expect(policies.map(({ name }: { name: string }) => name).slice(1)).toEqual(['Checkout', 'Quiet', 'Rest']);
    expect(policies[2]).toMatchObject({ parent: policies[1].id, channels: [] });
    const channels = await list('channels');
    expect(channels.find(({ name }: { name: string }) => name === 'On call')).toMatchObject({
      secrets: expect.arrayContaining(['secret', 'url']),
      target: 'hooks.example.com',
      fallback: channels.find(({ name }: { name: string }) => name === 'Pager').id,
    });
    // Those that the SLO keeps are no files.
    expect(await list('alert-rules')).toHaveLength(4);
  });

  it('exports the same files each time, without secrets, and applying them changes nothing', async () => {
    const [one, two] = [join(commands.directory, 'one'), join(commands.directory, 'two')];
    const exported = await run('export', ['--dir', one, '--kinds', kinds]);
    expect(exported).toEqual({
      code: 0,
      text: `2 channels, 1 routing policy, 1 inhibition rule, 1 recording rule, 2 alert rules, 1 SLO in ${one}`,
    });
    await run('export', ['--dir', two, '--kinds', kinds]);
    expect(await readAll(two)).toEqual(await readAll(one));
    expect(await run('apply', ['-f', one])).toEqual({ code: 0, text: 'nothing to change' });
    const written = await readAll(one);
    expect(JSON.stringify(written)).not.toMatch(/on-call"|a-secret|routing-key|hooks\.example/);
    expect(Object.keys(written)).toEqual([
      'alert-rules/checkout-fails.yaml',
      'alert-rules/checkout-fails~2.yaml',
      'channels/on-call.yaml',
      'channels/pager.yaml',
      'inhibition-rules/critical-before-warning.yaml',
      'recording-rules/shop.requests.yaml',
      'routing-policies/root.yaml',
      'slos/checkout-answers.yaml',
    ]);
    expect(written['channels/on-call.yaml']).toBe(`name: On call
kind: webhook
secrets:
  secret: ON_CALL_SECRET
  url: ON_CALL_URL
send_resolved: false
fallback: Pager
`);
    // A workspace of its own gets the same from the export.
    const other = await startCommandLine('alerting-files-copy', permissions);
    try {
      const copied = await other.run('apply', ['-f', one, '--yes'], { env: { ...env, PAGER_ROUTING_KEY: 'k' } });
      expect(copied, copied.text).toMatchObject({ code: 0 });
      const three = join(commands.directory, 'three');
      await other.run('export', ['--dir', three, '--kinds', kinds]);
      expect(await readAll(three)).toEqual(written);
      const rules = ['--kinds', 'alert-rules,recording-rules,slos', '--prune', '--yes'];
      await other.run('apply', ['-f', join(commands.directory, 'none'), ...rules]);
    } finally {
      await other.stop();
    }
  });

  it('checks and keeps an SLO in PromQL', async () => {
    const own = await startCommandLine('slo-files', permissions);
    try {
      const [from, to] = [join(own.directory, 'from'), join(own.directory, 'to')];
      const of = (good: string) => `name: Requests
indicator:
  kind: ratio
  query_language: promql
  good: ${good}
  total: sum(increase(requests_total[1m]))
objective: 0.99
window: { kind: rolling, period: 7d }
`;
      await writeAll(from, { 'slos/requests.yaml': of('sum(') });
      const refused = await own.run('apply', ['-f', from, '--yes']);
      expect([refused.code, refused.text]).toEqual([1, expect.stringMatching(/requests\.yaml:5: indicator\.good: /)]);
      await writeAll(from, { 'slos/requests.yaml': of('sum(increase(good_total[1m]))') });
      const applied = await own.run('apply', ['-f', from, '--yes']);
      expect(applied, applied.text).toMatchObject({ code: 0 });
      await own.run('export', ['--dir', to, '--kinds', 'slos']);
      expect((await readAll(to))['slos/requests.yaml']).toContain('query_language: promql');
      expect(await own.run('apply', ['-f', to])).toEqual({ code: 0, text: 'nothing to change' });
      const nothing = join(own.directory, 'nothing');
      await mkdir(nothing);
      await own.run('apply', ['-f', nothing, '--kinds', 'slos', '--prune', '--yes']);
    } finally {
      await own.stop();
    }
  });

  it('shows the difference, writes it, and sends a secret again only when asked to', async () => {
    await writeAll(directory, {
      'alert-rules/errors.yaml': (files['alert-rules/errors.yaml'] ?? '').replace('0.05', '0.1'),
      'routing-policies/root.yaml': (files['routing-policies/root.yaml'] ?? '').replace('12h', '6h'),
    });
    const { text, code } = await run('apply', ['-f', directory, '--yes']);
    expect(code, text).toBe(0);
    expect(text).toContain('~ alert rule Checkout fails\n    condition.threshold: 0.05 → 0.1');
    expect(text).toContain('repeat_interval: "12h" → "6h"');
    expect(text).toContain('2 done');
    const rules = await list('alert-rules');
    const of = (severity: string) =>
      rules.find(({ labels }: { labels: Record<string, string> }) => labels.severity === severity).condition.threshold;
    expect([of('warning'), of('critical')]).toEqual([0.1, 0.5]);
    const secrets = await run('apply', ['-f', directory, '--yes', '--update-secrets'], { env: { PAGER: 'new' } });
    expect(secrets.text).toBe('~ channel Pager\n    routing_key: from PAGER\n1 done');
  });

  it('keeps the order of policies: moves and creates them, and puts others behind', async () => {
    const root = (await list('routing-policies'))[0];
    const foreign = { name: 'By hand', matchers: ['team=x'], parent: root.id, position: 0 };
    expect((await user.post(`${user.workspace}/routing-policies`, foreign)).status).toBe(201);
    const turned = `channels: [On call]
group_by: [service.name]
policies:
  - { name: Rest, matchers: ['team!=""'], repeat_interval: 6h }
  - { name: New, matchers: [team=new] }
  - { name: Checkout, matchers: ['team="checkout"', '"service.name"=~"shop-.*"'], channels: [Pager], mute: [{ weekdays: [saturday, sunday], time_zone: Europe/Berlin }], policies: [{ name: Quiet, matchers: [severity=info], channels: [] }] }
`;
    await writeAll(directory, { 'routing-policies/root.yaml': turned });
    const first = await run('apply', ['-f', directory, '--yes']);
    expect(first, first.text).toMatchObject({ code: 0 });
    expect(first.text).toContain('behind the policies of the file');
    const names = async () => (await list('routing-policies')).slice(1).map(({ name }: { name: string }) => name);
    expect(await names()).toEqual(['Rest', 'New', 'Checkout', 'Quiet', 'By hand']);
    const second = await run('apply', ['-f', directory, '--yes']);
    expect(second.text).toBe('(1 routing policy has no file and is not changed)\nnothing to change');
    const pruned = await run('apply', ['-f', directory, '--yes', '--prune']);
    expect(pruned.text).toBe('- routing policy By hand\n1 done');
    expect(await names()).toEqual(['Rest', 'New', 'Checkout', 'Quiet']);
  });

  it('removes what has no file only with --prune, users before what they use, and only of kinds with a folder', async () => {
    await rm(join(directory, 'inhibition-rules'), { recursive: true });
    await rm(join(directory, 'channels/pager.yaml'));
    await rm(join(directory, 'alert-rules/errors.yaml'));
    await writeAll(directory, {
      'channels/on-call.yaml': 'name: On call\nkind: webhook\nsecrets: { url: ON_CALL_URL }\nsend_resolved: false\n',
      'routing-policies/root.yaml': 'channels: [On call]\n',
    });
    const kept = await run('apply', ['-f', directory, '--yes']);
    expect(kept, kept.text).toMatchObject({ code: 0 });
    expect(kept.text).toContain('secrets: − "secret"');
    expect(kept.text).toContain('(1 channel has no file and is not changed)');
    const asked: string[] = [];
    const refused = await run('apply', ['-f', directory, '--prune'], {
      ask: async (question) => asked.push(question) < 0,
    });
    expect(refused.code).toBe(1);
    expect(asked).toEqual(['Make 6 changes, 6 of which remove something?']);
    const pruned = await run('apply', ['-f', directory, '--prune', '--yes']);
    expect(pruned, pruned.text).toMatchObject({ code: 0 });
    expect(pruned.text).toContain('6 done');
    expect((await list('channels')).map(({ name }: { name: string }) => name)).toEqual(['On call']);
    expect(await list('inhibition-rules')).toHaveLength(1);
    // A kind that is named needs no folder.
    const named = ['-f', directory, '--prune', '--yes', '--kinds', 'inhibition-rules'];
    expect((await run('apply', named)).text).toBe('- inhibition rule Critical before warning\n1 done');
  });

  it('never overwrites or removes what somebody changed after the comparison', async () => {
    const rules = await list('alert-rules');
    const rule = rules.find(({ name }: { name: string }) => name === 'Checkout fails');
    await writeAll(directory, {
      'alert-rules/errors-critical.yaml': (files['alert-rules/errors-critical.yaml'] ?? '').replace('5m', '7m'),
    });
    const byHand = async () => {
      const changed = await user.patch(`${user.workspace}/alert-rules/${rule.id}`, { enabled: false });
      expect(changed.status, changed.text).toBe(200);
      return true;
    };
    const late = await run('apply', ['-f', directory], { ask: byHand });
    expect(late.code, late.text).toBe(1);
    expect(late.text).toMatch(/! ~ alert rule Checkout fails \(.*errors-critical\.yaml\): stale version/);
    await rm(join(directory, 'alert-rules/errors-critical.yaml'));
    const lateRemoval = await run('apply', ['-f', directory, '--prune'], {
      ask: async () => {
        const changed = await user.patch(`${user.workspace}/alert-rules/${rule.id}`, { enabled: true });
        return changed.status === 200;
      },
    });
    expect(lateRemoval.text).toMatch(/! - alert rule Checkout fails: somebody has changed it meanwhile/);
    expect((await user.get(`${user.workspace}/alert-rules/${rule.id}`)).data).toMatchObject({
      enabled: true,
      condition: { for: '5m' },
    });
  });

  it('reports every problem with its file and line before it writes anything', async () => {
    const wrong = join(commands.directory, 'wrong');
    await writeAll(wrong, {
      'channels/a.yaml': 'name: A\nkind: slack\n',
      'channels/b.yaml': 'name: B\nkind: slack\nconfig:\n  url: https://hooks.example.com/plain\n',
      'channels/c.yaml': 'name: C\nkind: slack\nsecrets:\n  url: NOT_SET\n',
      'channels/d.yaml': 'name: D\nkind: slack\nsecrets: { url: BAD }\n',
      'alert-rules/a.yaml': 'name: A\nquery: spans\ncondition:\n  op: "=>"\n  threshold: 1\n',
      'alert-rules/b.yaml': 'name: [\n',
      'alert-rules/bomb.yaml': `a: &a [x, x]\n${'bcdefghij'.replace(/./g, (key, i, all) => `${key}: &${key} [*${i === 0 ? 'a' : all[i - 1]}, *${i === 0 ? 'a' : all[i - 1]}]\n`)}`,
      'channels/e.yaml': 'name: E\nkind: email\nconfig: { to: [a@example.com] }\nfallback: F\n',
      'channels/f.yaml': 'name: F\nkind: email\nconfig: { to: [a@example.com] }\nfallback: E\n',
      'alert-rules/c.yaml': 'name: C\ncondition: { op: ">", threshold: 1 }\nquery: spans | stat value=count()\n',
      'inhibition-rules/a.yaml': 'name: A\nsource: ["=critical"]\ntarget: [severity=warning]\n',
      'routing-policies/root.yaml':
        'channels: [Nobody]\npolicies:\n  - name: P\n    matchers: [a=b]\n    channels: [A, Missing]\n',
    });
    const broken = await run('apply', ['-f', wrong, '--yes'], { env: { BAD: 'no address' } });
    expect(broken.code).toBe(1);
    expect(broken.text).toMatch(/alert-rules\/b\.yaml: .*at line 2/s);
    expect(broken.text).toMatch(/bomb\.yaml: .*alias/i);
    await rm(join(wrong, 'alert-rules/b.yaml'));
    await rm(join(wrong, 'alert-rules/bomb.yaml'));
    const { code, text } = await run('apply', ['-f', wrong, '--yes'], { env: { BAD: 'no address' } });
    expect(code, text).toBe(1);
    for (const part of [
      'channels/a.yaml:1: secrets.url is missing: name the environment variable that holds it',
      'channels/b.yaml:4: config.url: is a secret: name the environment variable that holds it',
      'channels/c.yaml:4: secrets.url: the channel needs it: set NOT_SET',
      'channels/d.yaml:3: secrets.url: the value of BAD is not valid',
      'channels/e.yaml:4: fallback: the fallbacks form a circle',
      'channels/f.yaml:4: fallback: the fallbacks form a circle',
      'alert-rules/c.yaml:3: query: ',
      'alert-rules/a.yaml:4: condition.op: ',
      'inhibition-rules/a.yaml:2: source.0: a matcher is a text such as',
      'routing-policies/root.yaml:1: channels.0: no channel is called Nobody',
      'routing-policies/root.yaml:5: policies.0.channels.1: no channel is called Missing',
      'nothing was changed',
    ])
      expect(text).toContain(part);
    expect((await list('channels')).map(({ name }: { name: string }) => name)).toEqual(['On call']);
  });
});
