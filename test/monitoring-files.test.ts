import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parsePromql } from '../packages/promql/src/parse/index.ts';

const path = (file: string) => fileURLToPath(new URL(`../${file}`, import.meta.url));
const read = (file: string) => readFileSync(path(file), 'utf8');
const promtool = ['/usr/bin/promtool', '/usr/local/bin/promtool'].find((file) => existsSync(file));

const rules: readonly { readonly alert: string; readonly expr: string }[] = parse(
  read('deploy/prometheus/alerts.yml'),
).groups.flatMap(({ rules }: { rules: unknown }) => rules);
const panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[] =
  JSON.parse(read('deploy/grafana/fanion.json')).panels;

/** Metrics of docs/metrics.md by name, with their labels. */
const documented = new Map(
  [...read('docs/metrics.md').matchAll(/^\| `(fanion_\w+)` \| (\w+) \| ([^|]*) \|/gm)].map(
    ([, name = '', type, labels = '']) => [
      name,
      { type, labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label) },
    ],
  ),
);

describe.each([
  ['deploy/prometheus/alerts.yml', rules.map(({ alert, expr }) => ({ name: alert, exprs: [expr] }))],
  [
    'deploy/grafana/fanion.json',
    panels.map(({ title, targets }) => ({ name: title, exprs: targets.map(({ expr }) => expr) })),
  ],
])('%s', (_file, entries) => {
  it.each(entries)('$name reads metrics that docs/metrics.md has, with their labels', ({ exprs }) => {
    for (const expr of exprs) {
      expect(() => parsePromql(expr)).not.toThrow();
      for (const [, written = '', selector = ''] of expr.matchAll(/\b(fanion_\w+)(?:\{([^}]*)\})?/g)) {
        const name = documented.has(written) ? written : written.replace(/_(bucket|sum|count)$/, '');
        const metric = documented.get(name);
        expect(metric, name).toBeDefined();
        expect(written !== name, written).toBe(metric?.type === 'histogram');
        for (const [, label] of selector.matchAll(/(\w+)\s*=/g)) expect(metric?.labels, name).toContain(label);
      }
    }
  });
});

/** Only where Prometheus is installed; the rules are parsed above in any case. */
if (promtool !== undefined)
  it('promtool accepts the alert rules', () => {
    const answer = execFileSync(promtool, ['check', 'rules', path('deploy/prometheus/alerts.yml')], {
      encoding: 'utf8',
    });
    expect(answer).toContain(`${rules.length} rules found`);
  });
