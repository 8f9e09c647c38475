import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { documentOf } from '../files/documents.ts';
import { ChannelDocument } from '../files/kinds/channels.ts';
import { InhibitionRuleDocument } from '../files/kinds/inhibition-rules.ts';
import { RoutingDocument } from '../files/kinds/routing-policies.ts';
import { Report } from '../files/report.ts';
import { parseYaml } from '../files/yaml-file.ts';
import { convertAlertmanager } from './convert.ts';
import { splitMatchers } from './matchers.ts';

function converted(text: string) {
  const report = new Report();
  const result = convertAlertmanager(parseYaml(text), report);
  const problems: string[] = [];
  const valid = <T>(content: unknown, schema: Parameters<typeof documentOf<T>>[1]) =>
    documentOf({ where: 'x', content }, schema, problems);
  const channels = result.channels.map(({ content }) => valid(content, ChannelDocument));
  const routing = valid(result.routing, RoutingDocument);
  const inhibition = result.inhibitionRules.map((rule) => valid(rule, InhibitionRuleDocument));
  const notes = report.notes.map(({ level, where, what }) => `${level} ${where}: ${what}`);
  return { result, channels, routing, inhibition, notes, problems };
}

const sample = (name: string) => readFileSync(new URL(`samples/${name}.yml`, import.meta.url), 'utf8');

describe('convertAlertmanager', () => {
  it("converts Alertmanager's own example", () => {
    const { result, channels, routing, inhibition, notes, problems } = converted(sample('example'));
    expect(problems).toEqual([]);
    expect(channels.map((channel) => [channel?.name, channel?.kind, channel?.send_resolved])).toEqual([
      ['team-X-mails', 'email', false],
      ['team-X-pager email', 'email', false],
      ['team-X-pager pagerduty', 'pagerduty', true],
      ['team-Y-mails', 'email', false],
      ['team-Y-pager', 'pagerduty', true],
      ['team-DB-pager', 'pagerduty', true],
    ]);
    expect(result.counts).toEqual({ routes: 8, intervals: 0 });
    expect(routing?.channels).toEqual(['team-X-mails']);
    expect(routing?.policies.map(({ name, matchers }) => [name, matchers])).toEqual([
      ['team-X-mails', [{ name: 'service', op: '=~', value: '^(foo1|foo2|baz)$' }]],
      ['team-Y-mails', [{ name: 'service', op: '=', value: 'files' }]],
      ['team-DB-pager', [{ name: 'service', op: '=', value: 'database' }]],
    ]);
    expect(routing?.policies[2]?.policies[0]).toMatchObject({
      channels: ['team-X-pager email', 'team-X-pager pagerduty'],
      continue: true,
    });
    expect(inhibition).toMatchObject([{ name: 'Inhibition rule 1', equal: ['alertname', 'cluster', 'service'] }]);
    expect(notes.filter((note) => note.startsWith('lost'))).toEqual([
      'lost templates: /etc/alertmanager/template/*.tmpl: messages have a form of their own; texts of alerts are annotations of rules',
    ]);
    // 2 mail settings, 2 mail receivers are counted once each with the third, 3 old keys with 3 variables to set.
    expect(notes.filter((note) => note.startsWith('changed'))).toHaveLength(11);
    expect(notes).toContain(
      'changed channel team-DB-pager: its routing_key is not in the configuration: set TEAM_DB_PAGER_ROUTING_KEY',
    );
  });

  it('converts every kind of receiver, route and interval, and lists what is lost', () => {
    const { result, channels, routing, inhibition, notes, problems } = converted(sample('company'));
    expect(problems).toEqual([]);
    expect(channels.map((channel) => `${channel?.name}: ${channel?.kind} ${JSON.stringify(channel?.config)}`)).toEqual([
      'default webhook: webhook {}',
      'default webhook 2: webhook {}',
      'pager pagerduty: pagerduty {"url":"https://events.eu.pagerduty.com"}',
      'pager opsgenie: opsgenie {"url":"https://api.eu.opsgenie.com"}',
      'chat slack: slack {}',
      'chat teams: teams {}',
      'chat discord: discord {}',
      'chat telegram: telegram {"chat_id":"-1001234567890"}',
    ]);
    expect(Object.assign({}, ...result.channels.map(({ values }) => values))).toEqual({
      DEFAULT_WEBHOOK_URL: 'https://hooks.example.com/alerts',
      PAGER_PAGERDUTY_ROUTING_KEY: 'key-of-pagerduty',
      PAGER_OPSGENIE_API_KEY: '11111111-aaaa',
      CHAT_SLACK_URL: 'https://hooks.slack.com/services/T0/B0/secret',
      CHAT_TEAMS_URL: 'https://example.webhook.office.com/x',
      CHAT_TELEGRAM_BOT_TOKEN: '123:abc',
    });
    expect(routing).toMatchObject({
      channels: ['default webhook', 'default webhook 2'],
      group_by: ['...'],
      repeat_interval: '90m',
    });
    expect(routing?.policies.map(({ name }) => name)).toEqual(['watchdog', 'pager', 'chat', 'null', 'missing']);
    expect(routing?.policies[1]).toMatchObject({
      matchers: [
        { name: 'severity', op: '=', value: 'critical' },
        { name: 'team', op: '=~', value: 'shop,eu|pay' },
        { name: 'env', op: '!=', value: 'dev' },
      ],
      continue: true,
      mute: [
        { weekdays: ['saturday', 'sunday'], time_zone: 'Europe/Berlin' },
        { times: [{ start: '22:00', end: '24:00' }] },
      ],
    });
    expect(routing?.policies[2]).toMatchObject({
      matchers: [{ name: 'alertname', op: '=~', value: '.*' }],
      active: [{ days_of_month: ['1:15', '-1'], months: ['1', 'may:august'], years: ['2026'] }],
    });
    expect(routing?.policies[3]).toMatchObject({ name: 'null', channels: [], mute: [] });
    expect(routing?.policies[4]?.matchers).toEqual([{ name: 'quoted name', op: '=', value: 'a "b"' }]);
    expect(inhibition.map((rule) => rule?.name)).toEqual(['Cluster down']);
    const lost = notes.filter((note) => note.startsWith('lost')).map((note) => note.slice(5));
    expect(lost).toEqual([
      'x-mute: is unknown here',
      'global.victorops_api_key: has no equivalent',
      'time interval here: the time zone Local is that of the machine: name it, as in Europe/Berlin; routes that name it are not muted by it',
      'receiver default, webhook_configs: max_alerts: messages have a form of their own',
      'receiver default, webhook_configs: http_config (authorization): requests have no credentials or proxies of their own',
      'receiver watchdog, webhook_configs: its address contains a user name and password; it is left out',
      'receiver watchdog: none of its integrations is left, so its routes notify nobody',
      'receiver pager, pagerduty_configs: severity: messages have a form of their own',
      'receiver pager, opsgenie_configs: responders: messages have a form of their own',
      'receiver pager, victorops_configs: Fanion has no channel of this kind; it is left out',
      'receiver chat, slack_configs: channel, title: messages have a form of their own',
      'receiver chat, email_configs: `to` must be plain addresses such as ops@example.com; it is left out',
      'route.routes[3].mute_time_intervals: there is no time interval unknown',
      'route.routes[4]: "=\\"broken\\"" is not a matcher; the route and those below it are left out',
      'route.routes[5]: there is no receiver missing, so it notifies nobody',
      'route.routes[5]: object is unknown here',
      'inhibit_rules[1]: "severity" is not a matcher; the rule is left out',
    ]);
    expect(notes).toContain('changed route.routes[0].repeat_interval: 90d is longer than the limit: 30d');
    expect(notes).toContain('changed channel chat discord: its url is not in the configuration: set CHAT_DISCORD_URL');
    expect(JSON.stringify(result.channels.map(({ content }) => content))).not.toMatch(/secret"|key-of|1111/);
  });

  it.each([
    ['text', 'hello', /no `route`/],
    ['broken YAML', 'route: [\n', /at line 2/],
    [
      'an alias bomb',
      `a: &a [x]\n${Array.from({ length: 12 }, (_, i) => `b${i}: &b${i} [${`*${i === 0 ? 'a' : `b${i - 1}`}, `.repeat(9)}x]`).join('\n')}\nroute: {}\n`,
      /alias/i,
    ],
    ['a circle', 'route: &r { receiver: a, routes: [*r] }\n', /alias|levels|circular|anchor/i],
    ['10,000 levels', `route: ${'{ routes: ['.repeat(10_000)}${']}'.repeat(10_000)}\n`, /./],
  ])('rejects %s', (_, text, message) => {
    expect(() => converted(text)).toThrow(message);
  });

  it('leaves out matchers without names, and what would match more without them', () => {
    const { routing, notes } = converted(
      'route: { receiver: a, routes: [{ match: { "": x } }, { matchers: ["=x"] }, { matchers: ["a=b,=c"] }] }\nreceivers: [{ name: a }]\n',
    );
    expect(routing?.policies).toEqual([]);
    expect(notes.filter((note) => note.includes('left out'))).toHaveLength(3);
  });
});

describe('splitMatchers', () => {
  it.each([
    ['a=b', ['a=b']],
    ['{a="b",c="d"}', ['a="b"', 'c="d"']],
    ['a="x,y", b=~"\\",{"', ['a="x,y"', ' b=~"\\",{"']],
    ['a=b,', ['a=b']],
  ])('%s', (text, parts) => {
    expect(splitMatchers(text)).toEqual(parts);
  });
});
