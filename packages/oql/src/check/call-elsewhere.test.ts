import { describe, expect, test } from 'vitest';
import { validate } from '../compile.ts';
import { applySuggestion } from '../diagnostics/diagnostic.ts';

/** What users of other languages write, where the syntax is that of OQL, and what it becomes by applying the suggestion. */
const FORMS: readonly (readonly [written: string, corrected: string])[] = [
  ['logs | where isnotnull(user.id)', 'logs | where user.id exists'],
  ['logs | where isnull(user.id)', 'logs | where user.id == null'],
  ['logs | where exists(user.id)', 'logs | where user.id exists'],
  ['logs | where isNotEmpty(user.id)', 'logs | where not is_empty(user.id)'],
  ['logs | where contains(body, "x")', 'logs | where body contains "x"'],
  ['logs | where startswith(body, "x")', 'logs | where body startswith "x"'],
  ['logs | where has(body, "x")', 'logs | where body has "x"'],
  ['logs | where match(body, "x.*")', 'logs | where body =~ "x.*"'],
  ['logs | where like(body, "%x%")', 'logs | where body =~ "x"'],
  ['logs | where ilike(body, "%x%")', 'logs | where body contains "x"'],
  ['logs | where in(a, "x", "y")', 'logs | where a in ("x", "y")'],
  ['logs | where between(a, 1, 2)', 'logs | where a between 1 .. 2'],
  ['logs | where time > datetime("2026-11-19")', 'logs | where time > 2026-11-19T00:00:00Z'],
  ['logs | stats n=count() by date_trunc("hour", time)', 'logs | stats n=count() by bucket(1h)'],
  ['logs | stats n=count() by time_bucket("5 minutes", time)', 'logs | stats n=count() by bucket(5m)'],
  ['logs | stats n=count() by toStartOfMonth(time)', 'logs | stats n=count() by bucket(1mo)'],
  ['logs | extend h = date_trunc("hour", time)', 'logs | extend h = start_of(time, "hour")'],
  ['logs | count_over_time(5m)', 'logs | stats n=count() by bucket(5m)'],
  ['logs | json', 'logs | parse body json'],
  ['logs | group by service.name', 'logs | count by service.name'],
  ['logs | where status == error', 'logs | where severity >= error'],
  ['spans | topk(5)', 'spans | top 5 by duration'],
  ['logs | count by name | topk(5)', 'logs | count by name | top 5 by count'],
  ['metric x | sum by pod | bottomk(2, sum)', 'metric x | sum by pod | top 2 by -sum'],
  ['metric x | sum(rate(5m)) by pod', 'metric x | rate 5m | sum by pod'],
  ['metric x | avg_over_time(5m)', 'metric x | stats avg(value) by bucket(5m)'],
  ['metric x | quantile_over_time(0.9, 1h) by pod', 'metric x | stats quantile(value, 0.9) by bucket(1h), pod'],
  ['metric x | histogram_quantile(0.9) by pod', 'metric x | quantile(value, 0.9) by pod'],
  ['metric x | quantile(0.9, value)', 'metric x | quantile(value, 0.9)'],
  ['spans | stats quantile(0.95, duration)', 'spans | stats quantile(duration, 0.95)'],
  ['spans | stats percentile(duration, 95)', 'spans | stats quantile(duration, 0.95)'],
  ['spans | stats count_if(status == error)', 'spans | stats count(status == error)'],
  ['spans | stats earliest(name)', 'spans | stats first(name)'],
  ['{ status = error && .a = "x" }', 'spans | where status == error and a == "x"'],
  [
    '{ span.http.route = "/" } | quantile_over_time(duration, .9) by (name)',
    'spans | where attr.http.route == "/" | stats quantile(duration, 0.9) by bucket(auto), name',
  ],
];

test.each(FORMS)('%s', (written, corrected) => {
  const [diagnostic] = validate(written).diagnostics.filter(({ severity }) => severity === 'error');
  if (!diagnostic?.suggestion) throw new Error(`no suggestion: ${diagnostic?.message}`);
  expect(applySuggestion(written, diagnostic.suggestion)).toBe(corrected);
  expect(validate(corrected).diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
});

describe('what has no single equal in OQL', () => {
  test.each([
    ['logs | stats rate(1m)', 'stats rate=count()/window by bucket(1m)'],
    ['metric x | stats sum(rate(5m))', 'metric x | rate 5m | sum'],
    ['metric x | stats changes(1h)', 'bucket(1h)'],
    ['metric x | stats max_over_time(5m)', 'stats max(value) by bucket(5m)'],
    ['metric x | stats quantile_over_time(0.9, 5m)', 'quantile(duration, 0.95)'],
    ['logs | topk(5)', 'stats n=count() by name | top 5 by n'],
    ['logs | where now - datediff("hour", time, now) > 1', 'now - time > 1h'],
  ])('is told in words: %s', (written, hint) => {
    const [diagnostic] = validate(written).diagnostics.filter(({ severity }) => severity === 'error');
    expect(diagnostic?.message).toContain(hint);
    expect(diagnostic?.suggestion).toBeUndefined();
  });

  test('is an attribute `status` where there is one', () => {
    const fields = [{ signal: 'logs', scope: 'attribute', name: 'status', types: ['string'] }] as const;
    expect(validate('logs | where status == error', { catalogue: { fields } }).valid).toBe(true);
    expect(validate('logs | where status == "error"').valid).toBe(true);
  });
});
