import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { documentOf } from '../files/documents.ts';
import { AlertRuleDocument } from '../files/kinds/alert-rules.ts';
import { RecordingRuleDocument } from '../files/kinds/recording-rules.ts';
import { Report } from '../files/report.ts';
import { parseYaml } from '../files/yaml-file.ts';
import { annotationOf } from './annotation.ts';
import { type ConvertRulesOptions, convertRules } from './convert.ts';

function converted(text: string, options: Partial<ConvertRulesOptions> = {}) {
  const report = new Report();
  const file = { name: 'rules.yaml', content: parseYaml(text) };
  const result = convertRules([file], { interval: '1m', ...options }, report);
  const problems: string[] = [];
  const alerts = result.alertRules.map(({ where, content }) =>
    documentOf({ where, content }, AlertRuleDocument, problems),
  );
  const records = result.recordingRules.map(({ where, content }) =>
    documentOf({ where, content }, RecordingRuleDocument, problems),
  );
  const lost = report.notes.flatMap(({ level, where, what }) => (level === 'lost' ? [`${where}: ${what}`] : []));
  const changed = report.notes.flatMap(({ level, where, what }) => (level === 'changed' ? [`${where}: ${what}`] : []));
  return { result, alerts, records, lost, changed, problems };
}

const one = (rule: string, group = '') => `groups:\n- name: g\n${group}  rules:\n  - ${rule}\n`;

describe('convertRules', () => {
  it('converts the mixin of the node exporter', () => {
    const text = readFileSync(new URL('samples/node-exporter.yaml', import.meta.url), 'utf8');
    const { result, alerts, records, lost, problems } = converted(text);
    expect(problems).toEqual([]);
    expect(result.count).toBe(35);
    expect(alerts).toHaveLength(24);
    expect(records).toHaveLength(11);
    expect(lost).toEqual([]);
    expect(alerts.find((alert) => alert?.name === 'NodeNetworkReceiveErrs')).toMatchObject({
      query:
        'rate(node_network_receive_errs_total{job="node"}[2m]) / rate(node_network_receive_packets_total{job="node"}[2m]) > 0.01',
      query_language: 'promql',
      condition: { for: '1h', keep_firing_for: '0s' },
      labels: { severity: 'warning' },
      annotations: { description: '{{ labels["device"] }}: {{ value | round }} errors.' },
      every: '1m',
    });
    expect(alerts.every((alert) => alert?.condition.op === undefined)).toBe(true);
    expect(records[1]).toMatchObject({
      name: 'instance:node_cpu_utilisation:rate5m',
      group: 'node-exporter.rules',
      query_language: 'promql',
    });
    expect(records.map((record) => record?.position)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it.each([
    'absent(up{job="x"}) == 1',
    'sum(rate(a[5m])) by (job) > 1 or vector(0)',
    'max_over_time((a - b)[1h:1m]) > 5 and on () hour() > 8',
    'topk by (job) (3, a) > 0',
    'time() - a @ end() > 60',
  ])('keeps the text of %s', (expr) => {
    const { alerts, records, lost, changed } = converted(
      one(`{ alert: A, expr: '${expr}' }\n  - { record: r, expr: '${expr}' }`),
    );
    expect([alerts[0]?.query, records[0]?.query, lost, changed]).toEqual([expr, expr, [], []]);
  });

  it('keeps the timing of a group and of a rule', () => {
    const { alerts, changed, problems } = converted(
      one(
        '{ alert: A, expr: "sum(up) < 1", for: 1h30m, keep_firing_for: 90s, labels: { n: 1, b: true } }',
        '  interval: 1m30s\n  query_offset: 2m\n  limit: 5\n  labels: { team: shop }\n',
      ),
    );
    expect(problems).toEqual([]);
    expect(alerts[0]).toMatchObject({
      condition: { for: '90m', keep_firing_for: '90s' },
      every: '90s',
      offset: '2m',
      labels: { team: 'shop', n: '1', b: 'true' },
    });
    expect(changed).toEqual([
      'rules.yaml: group g: its limit has no equal; an alert rule fails at more than 1000 instances',
    ]);
  });

  it.each([
    [
      '  interval: 500ms\n',
      {},
      { every: '1s' },
      ['its interval of 500ms becomes 1s: intervals are whole seconds from 1s to 1d'],
    ],
    [
      '  interval: 2d\n',
      {},
      { every: '1d' },
      ['its interval of 2d becomes 1d: intervals are whole seconds from 1s to 1d'],
    ],
    ['  interval: 1s\n', {}, { every: '1s' }, []],
    ['', {}, { every: '1m' }, []],
    [
      '',
      { isIntervalAssumed: true },
      { every: '1m' },
      ['it has no interval: its rules are evaluated every 1m; --interval sets another one'],
    ],
    [
      '  query_offset: 90m\n',
      {},
      { offset: '1h' },
      ['its query_offset of 90m becomes 1h: offsets are whole seconds up to 1h'],
    ],
    ['  query_offset: 1m30s\n', {}, { offset: '90s' }, []],
  ])('reports what it changes of a group with %j', (group, options, expected, reported) => {
    for (const rule of ['{ alert: A, expr: sum(up) < 1 }', '{ record: a, expr: sum(up) }']) {
      const { alerts, records, changed } = converted(one(rule, group), options);
      expect(alerts[0] ?? records[0]).toMatchObject(expected);
      expect(changed).toEqual(reported.map((what) => `rules.yaml: group g: ${what}`));
    }
  });

  it.each([
    ['{ alert: A, expr: "double_exponential_smoothing(a[5m], 0.5, 0.5) > 1" }', /alert A: .*is not enabled/],
    ['{ alert: A, expr: "up[5m]" }', /alert A: its expression returns no numbers/],
    ['{ alert: A, expr: "sum(" }', /alert A: it is not valid PromQL: /],
    ['{ alert: A }', /alert A: it has no expression/],
    ['{ expr: up }', /record number 1: it has neither alert nor record/],
    ['{ alert: A, expr: sum(up), labels: { x: "{{ $value }}" } }', /the label x has a template/],
    ['{ alert: A, expr: sum(up), for: 5 minutes }', /"5 minutes" is not a duration/],
    ['{ alert: A, expr: sum(up), for: 1500ms }', /whole seconds/],
    [`{ alert: A, expr: 'sum(up{="x"})' }`, /not valid PromQL/],
    [`{ alert: A, expr: 'sum(up{a=~"("})' }`, /missing argument|not valid PromQL/],
    [
      '{ alert: A, expr: sum(up), annotations: { x: "{{ range query `up` }}{{ end }}" } }',
      /annotation x: there is no equal of/,
    ],
    ['{ alert: A, expr: sum(up), colour: red }', /colour is unknown here/],
  ])('reports %s', (rule, reason) => {
    const { lost } = converted(one(rule));
    expect(lost).toHaveLength(1);
    expect(lost[0]).toMatch(/^rules\.yaml: group g, /);
    expect(lost[0]).toMatch(reason);
  });

  it('rejects two rules of one name and the same labels', () => {
    const { alerts, lost } = converted(
      'groups:\n- name: g\n  rules:\n  - { alert: A, expr: sum(up) > 1 }\n  - { alert: A, expr: sum(up) > 2 }\n  - { alert: A, expr: sum(up) > 3, labels: { severity: page } }\n',
    );
    expect(alerts).toHaveLength(2);
    expect(lost).toEqual([
      'rules.yaml: group g, alert A: another rule has its name and its labels; the rule is left out',
    ]);
  });

  it('joins recording rules of a group that write one metric', () => {
    const { records, lost, changed } = converted(
      'groups:\n- name: g\n  rules:\n  - { record: a, expr: \'b{code="2"}\' }\n  - { record: c, expr: d }\n  - { record: a, expr: \'b{code="3"}\' }\n- name: h\n  rules:\n  - { record: a, expr: e }\n',
    );
    expect(records.map((record) => [record?.name, record?.query])).toEqual([
      ['a', 'b{code="2"}\nor\nb{code="3"}'],
      ['c', 'd'],
    ]);
    expect(changed).toEqual([
      'rules.yaml: group g, record a: the rule before it with its name and labels also writes its series, joined by `or`',
    ]);
    expect(lost).toEqual([
      'rules.yaml: group h, record a: another rule has its name and its labels; the rule is left out',
    ]);
  });

  it('reads rules as Kubernetes has them', () => {
    const { alerts } = converted(
      'kind: PrometheusRule\nspec:\n  groups:\n  - name: g\n    rules: [{ alert: A, expr: sum(up) }]\n',
    );
    expect(alerts).toHaveLength(1);
  });

  it.each([
    ['a text', 'hello\n', /no `groups`/],
    ['broken YAML', 'groups:\n- name: [\n', /at line 3/],
    [
      'an alias bomb',
      `a: &a [x]\n${Array.from({ length: 12 }, (_, i) => `b${i}: &b${i} [${`*${i === 0 ? 'a' : `b${i - 1}`}, `.repeat(9)}x]`).join('\n')}\ngroups: []\n`,
      /alias/i,
    ],
    [
      '10,001 rules',
      JSON.stringify({ groups: [{ name: 'g', rules: Array(10_001).fill({ alert: 'A', expr: 'up' }) }] }),
      /at most 10000/,
    ],
  ])('rejects %s', (_, text, message) => {
    expect(() => converted(text)).toThrow(message);
  });

  it('converts 10,000 rules', () => {
    const rules = Array.from({ length: 10_000 }, (_, i) => ({ alert: `A${i}`, expr: `sum(up) < ${i % 10}` }));
    const { result, lost } = converted(JSON.stringify({ groups: [{ name: 'g', rules }] }));
    expect(result.alertRules).toHaveLength(10_000);
    expect(lost).toEqual([]);
  });
});

describe('annotationOf', () => {
  const convert = (text: string) => {
    const differs: string[] = [];
    return { text: annotationOf(text, (what) => differs.push(what)), differs };
  };

  it.each([
    ['no template 100%', 'no template 100%'],
    ['{{ $labels.instance }} is {{$value}}', '{{ labels["instance"] }} is {{ value }}'],
    ['{{ .Labels.job }} {{- .Value -}}', '{{ labels["job"] }} {{- value -}}'],
    ['{{ index $labels "a.b" | toUpper }}', '{{ labels["a.b"] | upcase }}'],
    ['{{ printf "%.1f%%" $value }}', '{{ value | round: 1 }}%'],
    ['{{ $value | printf "%.0f" }}', '{{ value | round }}'],
    ['{{ $value | humanizePercentage }}', '{{ value | times: 100 | round: 2 }}%'],
    ['a {% b', '{% raw %}a {% b{% endraw %}'],
    ['{{/* remark */}}x', 'x'],
    ['{{ "{{" }}', '{% raw %}{{{% endraw %}'],
  ])('%s', (given, expected) => {
    expect(convert(given).text).toBe(expected);
  });

  it.each([
    '{{ if gt $value 1.0 }}x{{ end }}',
    '{{ with query "up" }}{{ end }}',
    '{{ $externalLabels.cluster }}',
    '{{ $labels.a | title }}',
    '{{ $labels | humanize }}',
    '{{ printf "%d of %d" $value 2 }}',
    '{{ unclosed',
    'x'.repeat(5_000),
  ])('refuses %.40s', (text) => {
    expect(() => convert(text)).toThrow(/equal|closed|4096/);
  });

  it('says what is shown differently', () => {
    expect(convert('{{ $value | humanizeDuration }}').differs).toEqual(['durations are in seconds']);
    expect(convert('{{ $labels.x }}').differs).toEqual([]);
  });
});
