import { describe, expect, test } from 'vitest';
import { compile, validate } from '../compile.ts';
import { applySuggestion } from '../diagnostics/diagnostic.ts';

const hour = { fromNs: 0n, toNs: 3_600_000_000_000n };

describe('rejects an unanswerable query with its code and shows one that works', () => {
  const grouped = 'logs | stats n=count() by bucket(5m)';
  const listed = 'logs | stats n=count() by service.name';
  const mistakes: readonly (readonly [text: string, code: string, underlined: string, corrected?: string])[] = [
    [`${grouped} | where lag(n) > 1`, 'OQL-4006', 'lag(n)'],
    [`${grouped} | sort avg(n) over 3 buckets`, 'OQL-4006', 'avg(n) over 3 buckets'],
    [`${grouped} | extend x = lower("a") over 3 buckets`, 'OQL-4001', 'lower("a")'],
    [`${listed} | extend x = lag(n)`, 'OQL-5003', 'lag(n)'],
    [
      `${listed} | sort n | extend x = avg(n) over 3 buckets`,
      'OQL-5003',
      '3 buckets',
      `${listed} | sort n | extend x = avg(n) over 3 rows`,
    ],
    [`${listed} | extend x = avg(n) over 1h`, 'OQL-5001', '1h'],
    [`${grouped} | extend x = avg(n) over 7m`, 'OQL-4008', '7m'],
    [`${grouped} | extend x = avg(n) over 0 buckets`, 'OQL-4008', '0'],
    [`${grouped} | extend x = avg(n) over 5`, 'OQL-4008', '5'],
    [`${grouped} | extend x = lag(n, 0)`, 'OQL-4008', 'lag(n, 0)'],
    [`${grouped} | extend x = anomaly(n, 0s)`, 'OQL-4008', 'anomaly(n, 0s)'],
    [`${grouped} | extend x = rank()`, 'OQL-5003', 'rank()'],
    [
      'logs | where severity_number > (spans | where root)',
      'OQL-4001',
      'spans | where root',
      'logs | where severity_number > (spans | where root | stats n=count())',
    ],
    [
      'spans | where duration > (spans | stats max(duration) by name)',
      'OQL-4001',
      'spans | stats max(duration) by name',
    ],
    [
      'spans | where duration > (spans | stats a=max(duration), b=min(duration))',
      'OQL-4001',
      'spans | stats a=max(duration), b=min(duration)',
    ],
    ['metric x | stats q=histogram_quantile(0.9, value)', 'OQL-3002', 'histogram_quantile'],
    ['spans | where duration > (spans | stats count())', 'OQL-4002', '(spans | stats count())'],
    [
      'logs | fields time | union spans',
      'OQL-5002',
      'spans',
      'logs | fields time | union (spans | fields time, service.name)',
    ],
    ['logs | fields time, x=body', 'OQL-2001', '='],
    ['logs | stats n=count() | union (spans | stats n=any(true))', 'OQL-4001', 'union (spans | stats n=any(true))'],
    ['logs | fields attributes | union (spans | fields attributes)', 'OQL-4001', 'union (spans | fields attributes)'],
    ['logs | funnel by user.id within 5 {true} -> {true}', 'OQL-4008', '5'],
    ['logs | funnel by attributes within 5m {true} -> {true}', 'OQL-4001', 'attributes'],
    [
      'logs | stats n=count() | funnel by n within 5m {true} -> {true}',
      'OQL-5001',
      'funnel by n within 5m {true} -> {true}',
    ],
    ['metric x | where any has "y"', 'OQL-5001', 'any'],
    [
      'logs | stats n=count() by bucket(1d, "Europe/Berln")',
      'OQL-4008',
      '"Europe/Berln"',
      'logs | stats n=count() by bucket(1d, "Europe/Berlin")',
    ],
    ['logs | stats n=count() by bucket(5m, "Europe/Berlin")', 'OQL-4008', '5m'],
    ['logs | stats n=count() by bucket(1d, "+02:00")', 'OQL-4008', '"+02:00"'],
    [
      'logs | stats n=count()/window by bucket(1d, "Europe/Berlin")',
      'OQL-5002',
      'window',
      'logs | stats n=count()/1d by bucket(1d, "Europe/Berlin")',
    ],
    ['metric x | rate | sum by bucket(1d, "UTC")', 'OQL-5002', 'bucket(1d, "UTC")'],
    ['metrics | where nam == "x"', 'OQL-3003', 'nam', 'metrics | where name == "x"'],
  ];
  const cases = mistakes.map(([text, code, underlined, corrected]) => ({ text, code, underlined, corrected }));
  test.each(cases)('$text', ({ text, code, underlined, corrected }) => {
    const { diagnostics } = validate(text);
    const [error] = diagnostics.filter(({ severity }) => severity === 'error');
    if (!error) throw new Error('no error');
    expect(error.code, error.message).toBe(code);
    expect(text.slice(error.span.start, error.span.end)).toBe(underlined);
    if (corrected === undefined) return;
    if (!error.suggestion) throw new Error(`no suggestion: ${error.message}`);
    expect(applySuggestion(text, error.suggestion)).toBe(corrected);
    expect(validate(corrected).valid).toBe(true);
  });
});

test('explain shows sub-queries in the statement and columns computed from other rows', () => {
  const text =
    'logs | stats n=count() by bucket(5m) | extend m = avg(n) over 3 buckets | where n > (spans | stats count())';
  const compiled = compile(text, { scope: { workspace: 1 }, window: hour, limit: 10, nowNs: hour.toNs });
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.diagnostics));
  expect(compiled.explain.stages.map(({ op }) => op)).toEqual(['logs', 'stats', 'extend', 'where']);
  expect(compiled.explain.stages[2]?.out.at(-1)).toEqual({ name: 'm', type: 'float' });
  expect(compiled.sql.match(/workspace = /g)).toHaveLength(2);
});
