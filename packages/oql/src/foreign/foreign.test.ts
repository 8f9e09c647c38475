import { describe, expect, test } from 'vitest';
import { validate } from '../compile.ts';
import { applySuggestion } from '../diagnostics/diagnostic.ts';

describe('shows the OQL of a pasted query in another language', () => {
  const pasted: readonly (readonly [text: string, oql: string])[] = [
    ["SELECT * FROM logs WHERE level = 'error' LIMIT 10", 'logs | where severity == "error" | limit 10'],
    [
      "select service_name, count(*) as n, avg(duration) from otel_spans where status_code = 'error' and name like '%checkout%' group by service_name order by n desc limit 5;",
      'spans | where status == "error" and name =~ "checkout" | stats n=count(), avg(duration) by service.name | sort -n | limit 5',
    ],
    [
      "SELECT timestamp, message FROM app_logs WHERE (service IN ('a', 'b') OR user_id IS NOT NULL) AND message NOT LIKE 'x%' AND code BETWEEN 1 AND 2",
      '',
    ],
    [
      'SELECT COUNT(DISTINCT trace_id) AS n FROM traces WHERE duration IS NULL HAVING n > 3',
      'spans | where duration == null | stats n=count_distinct(trace_id) | where n > 3',
    ],
    [
      'rate(http_requests_total{job="api",code=~"5.."}[5m])',
      'metric http_requests_total | where job == "api" and code =~ "^(?:5..)$" | promrate 5m',
    ],
    [
      'sum by (job, instance) (rate(http_requests_total[5m]))',
      'metric http_requests_total | promrate 5m | sum by job, instance',
    ],
    [
      'sum(increase(errors_total{service_name!="x"}[1h])) by (code)',
      'metric errors_total | where service.name != "x" | promincrease 1h | sum by code',
    ],
    [
      'histogram_quantile(0.95, sum by (le, route) (rate(latency_bucket[5m])))',
      'metric latency_bucket | promrate 5m | quantile(value, 0.95) by route',
    ],
    [
      'topk(3, sum by (pod) (rate(cpu_seconds_total[2m])))',
      'metric cpu_seconds_total | promrate 2m | sum by pod | top 3 by sum',
    ],
    ['avg(node_load1)', ''],
    ['node_load1{instance="a"}', 'metric node_load1 | where instance == "a"'],
    [
      '{app="shop", env!="dev"} |= "timeout" != "retry"',
      'logs | where service.name == "shop" and environment != "dev" and body =~ "timeout" and body !~ "retry"',
    ],
    [
      '{app="shop"} |~ "time.*out" | json | level="error"',
      'logs | where service.name == "shop" and body =~ "time.*out" | parse body json | where level == "error"',
    ],
    [
      'sum by (app) (count_over_time({env="prod"} |= "x" [5m]))',
      'logs | where environment == "prod" and body =~ "x" | stats n=count() by bucket(5m), service.name',
    ],
    ['sum(rate({app="a"}[1m]))', 'logs | where service.name == "a" | stats rate=count() / window by bucket(1m)'],
    [
      'AppTraces | where SeverityLevel >= 3 and Message has "timeout" | summarize n=count(), p=percentile(Duration, 95) by bin(TimeGenerated, 5m), Role | order by n desc | take 10',
      'logs | where SeverityLevel >= 3 and body has "timeout" | stats n=count(), p=quantile(Duration, 0.95) by bucket(5m), Role | sort -n | limit 10',
    ],
    [
      'Syslog | where Level == "err" | project TimeGenerated, Message | top 5 by TimeGenerated',
      'logs | where severity == "err" | fields time, body | top 5 by time',
    ],
  ];
  test.each(pasted.filter(([, oql]) => oql !== ''))('%s', (text, oql) => {
    const [error, ...more] = validate(text).diagnostics;
    expect(more).toEqual([]);
    expect(error).toMatchObject({ code: 'OQL-2006', severity: 'error', span: { start: 0 } });
    expect(error?.suggestion && applySuggestion(text, error.suggestion)).toBe(oql);
    expect(error?.message).toContain(oql);
  });
});

test.each([
  ['SELECT a.x FROM logs a JOIN spans b ON a.id = b.id', 'SQL'],
  ['WITH x AS (SELECT 1) SELECT * FROM x', 'SQL'],
  ['sum without (pod) (rate(x[5m])) / 2', 'PromQL'],
  ['predict_linear(disk_free[1h], 3600) < 0', 'PromQL'],
  ['{app="a"} | pattern "<ip> <_>"', 'LogQL'],
  ['index=main sourcetype=access | stats count by host', 'Splunk SPL'],
  ['Heartbeat | mv-expand x | summarize count() by x', 'KQL'],
  ['level:error AND service:"checkout"', 'Lucene'],
  [`SELECT ${'a, '.repeat(3_000)}b FROM logs`, 'SQL'],
])('%s is recognized as %s, with a link to read', (text, language) => {
  const [error] = validate(text).diagnostics;
  expect(error?.code).toBe('OQL-2006');
  expect(error?.message).toContain(`looks like ${language},`);
  expect(error?.message).toContain('docs/oql.md');
});

test('treats OQL with a mistake as OQL', () => {
  for (const text of [
    'logs | summarize n=count() by x',
    'spans | wher a == 1',
    'metric x | rate(5m) | sum by',
    'lgos | where a = 1',
  ]) {
    expect(validate(text).diagnostics.map(({ code }) => code)).not.toContain('OQL-2006');
  }
});

describe('names from other products', () => {
  const brought: readonly (readonly [text: string, corrected: string])[] = [
    ['logs | where level == "error"', 'logs | where severity == "error"'],
    ['logs | where message has "x"', 'logs | where body has "x"'],
    ['spans | count by service', 'spans | count by service.name'],
    ['spans | where latency > 5', 'spans | where duration > 5'],
    ['logs | where body like "%timeout%"', 'logs | where body contains "timeout"'],
    ["logs | where name like 'GET %'", 'logs | where name startswith "GET "'],
    ['spans | stats p99.5(duration) by name', 'spans | stats quantile(duration, 0.995) by name'],
    ['spans | where name <> "x"', 'spans | where name != "x"'],
    ['spans | where name is not null', 'spans | where name exists'],
    ['spans | where name is null | count', 'spans | where name == null | count'],
    ['spans | where name matches regex "a.*"', 'spans | where name =~ "a.*"'],
  ];
  test.each(brought)('%s', (text, corrected) => {
    const [found] = validate(text).diagnostics;
    if (!found?.suggestion) throw new Error(`no suggestion: ${found?.message}`);
    expect(applySuggestion(text, found.suggestion)).toBe(corrected);
  });

  test('reads an attribute that is sent under such a name', () => {
    const field = { signal: 'logs', scope: 'attribute', name: 'level', types: ['string'] } as const;
    expect(validate('logs | where level == "x"', { catalogue: { fields: [field] } }).diagnostics).toEqual([]);
    const [hint] = validate('logs | where level == "x"').diagnostics;
    expect(hint).toMatchObject({ code: 'OQL-3106', severity: 'info' });
  });
});
