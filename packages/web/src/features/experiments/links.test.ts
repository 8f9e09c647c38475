import { compile } from '@fanion/oql';
import { expect, it } from 'vitest';
import { armContrast, exposedTraces, metricRows } from './links.ts';

const experiment = { flag: 'new-checkout', control: 'off' };
const metric = { source: 'logs | where body == "purchase"', unit: 'user.id', value: 'attr["total"]' };

it.each([
  ['the traces of exposed units', exposedTraces(experiment, 'on "x"')],
  ['rows that join by an attribute', metricRows(experiment, 'on', metric)],
  ['rows that join by trace', metricRows(experiment, 'on', { source: 'spans', unit: 'trace_id', value: null })],
  ['what differs between two variants', armContrast(experiment, 'on')],
])('links with a query that compiles: %s', (_, query) => {
  const nowNs = 1_700_000_000_000_000_000n;
  const window = { fromNs: nowNs - 3_600_000_000_000n, toNs: nowNs };
  const compiled = compile(query, { scope: { workspace: 1, project: 1 }, window, limit: 1, nowNs });
  const problems = compiled.ok ? [] : compiled.diagnostics.filter(({ severity }) => severity === 'error');
  expect(problems, query).toEqual([]);
});
