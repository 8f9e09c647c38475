import { expect, test } from 'vitest';
import { applySuggestion } from '../diagnostics/diagnostic.ts';
import { AGGREGATES } from '../functions/index.ts';
import { AGGREGATE_WORDS } from './elsewhere.ts';
import { parse } from './parse.ts';

/** What users of PromQL, LogQL, KQL, SPL and SQL type, and what it becomes by applying the suggestion. */
const FORMS: readonly (readonly [written: string, corrected: string])[] = [
  ['spans | stats avg(duration) as d by name', 'spans | stats d=avg(duration) by name'],
  ['logs | stats count as n by service.name', 'logs | stats n=count() by service.name'],
  ['logs | stats n = count() group by name', 'logs | stats n = count() by name'],
  ['spans | stats n=count() by name having n > 5', 'spans | stats n=count() by name | where n > 5'],
  ['spans | where duration between 1s and 2s', 'spans | where duration between 1s .. 2s'],
  ['logs | order by time desc | limit 5', 'logs | sort -time | limit 5'],
  ['logs | sort by time', 'logs | sort time'],
  ['logs | dedup by user.id', 'logs | dedup user.id'],
  ['spans | stats sum(duration) by (service.name, name)', 'spans | stats sum(duration) by service.name, name'],
  ['metric x | sum by service.name every 5m', 'metric x | sum by service.name, bucket(5m)'],
  ['spans | stats p99(duration) by name over 5m', 'spans | stats p99(duration) by name, bucket(5m)'],
  ['metric x | sum by service.name, bucket 5m', 'metric x | sum by service.name, bucket(5m)'],
  ['logs | count by a | extend x = lag(count) by a', 'logs | count by a | extend x = lag(count) within a'],
  ['logs | count by a | top 3 by count per a', 'logs | count by a | top 3 by count within a'],
  ['metric x | rate(5m) | sum', 'metric x | rate 5m | sum'],
  ['metric x | rate[5m]', 'metric x | rate 5m'],
  ['metric x[5m] | sum', 'metric x | rate 5m | sum'],
  ['metric x | sum ignoring pod', 'metric x | sum without pod'],
  ['spans | where duration > 1 s', 'spans | where duration > 1s'],
  ['logs | where body ~ "timeout"', 'logs | where body =~ "timeout"'],
  ['spans | where name =~ /cart/', 'spans | where name =~ "cart"'],
  ['spans | where name in ["a", "b"]', 'spans | where name in ("a", "b")'],
  ['spans | where !root', 'spans | where not root'],
  ['logs |= "timeout"', 'logs | where body contains "timeout"'],
  ['logs | where body has_any ("a", "b")', 'logs | where contains_any(body, "a", "b")'],
  ['logs | where body.contains("x")', 'logs | where body contains "x"'],
  ['logs | sample 10%', 'logs | sample 0.1'],
  ['logs | limit 10, 20', 'logs | limit 20 offset 10'],
  ['logs | count distinct user.id', 'logs | count_distinct(user.id)'],
  ['spans | avg duration by name', 'spans | avg(duration) by name'],
  ['spans | stats avg duration by name', 'spans | stats avg(duration) by name'],
  ['spans | stats d:avg(duration)', 'spans | stats d=avg(duration)'],
  ['spans | where a == 1, b == 2', 'spans | where a == 1 and b == 2'],
  ['logs | tail 10', 'logs | limit 10'],
  ['logs | timechart span=5m count by host', 'logs | stats count() by bucket(5m), host'],
  ['logs | top 5 service.name', 'logs | stats n=count() by service.name | top 5 by n'],
  ['logs | rare user.id', 'logs | stats n=count() by user.id | top 10 by -n'],
  ['spans | project-away name', 'spans | omit name'],
  ['logs | where body not like "%x%"', 'logs | where not body contains "x"'],
  ['logs | where body !contains "x"', 'logs | where not body contains "x"'],
  ['logs | where body does not contain "x"', 'logs | where not body contains "x"'],
  ['logs | where a !in ("x")', 'logs | where a not in ("x")'],
  ['logs | where a in~ ("x")', 'logs | where a in ("x")'],
  ['logs | where a =~ "x"i', 'logs | where a =~ "(?i)x"'],
  ['logs | where a === 1', 'logs | where a == 1'],
  ['logs | where a !== 1', 'logs | where a != 1'],
  ['logs | where body =~ "x" or =~ "y"', 'logs | where body =~ "x" or body =~ "y"'],
  ['logs | where a::bigint > 5', 'logs | where int(a) > 5'],
  ['logs | where cast(a as double) > 5', 'logs | where float(a) > 5'],
  ['logs | extend x = a ?? "none"', 'logs | extend x = coalesce(a, "none")'],
  ['logs | extend x = case when a == 1 then 2 else 3 end', 'logs | extend x = case(a == 1, 2, 3)'],
  ['logs | extend d = extract(hour from time)', 'logs | extend d = hour(time)'],
  ['spans | stats quantile(duration, .99)', 'spans | stats quantile(duration, 0.99)'],
  ['spans | stats n=count() filter (where root)', 'spans | stats n=count(root)'],
  ['spans | stats count where root by name', 'spans | stats n=count(root) by name'],
  ['spans | stats count(distinct name)', 'spans | stats count_distinct(name)'],
  ['spans | stats avg(duration), by name', 'spans | stats avg(duration) by name'],
  ['metric x | sum by (pod) (rate(5m))', 'metric x | rate 5m | sum by pod'],
  ['spans | limit(5)', 'spans | limit 5'],
  ['spans | limit 3 by name', 'spans | extend place = rank(time) within name | where place <= 3'],
  ['logs | last 5', 'logs | limit 5'],
  ['spans | sort desc duration', 'spans | sort -duration'],
  ['spans | fields name as n', 'spans | extend n = name | fields n'],
  ['spans | project n = name', 'spans | extend n = name | fields n'],
  ['logs | rename a as b', 'logs | extend b = a'],
  ['logs | search "x"', 'logs | where any contains "x"'],
  ['logs | chart count by a', 'logs | stats count() by a'],
  ['spans | timechart avg(duration) by name', 'spans | stats avg(duration) by bucket(auto), name'],
  ['spans | count by name | compare last week', 'spans | count by name | compare 1w'],
];

test.each(FORMS)('%s', (written, corrected) => {
  const [finding] = parse(written).findings;
  if (!finding?.suggestion) throw new Error(`no suggestion: ${finding?.message}`);
  expect(applySuggestion(written, finding.suggestion)).toBe(corrected);
  expect(parse(corrected).findings).toEqual([]);
});

/** What has no single equal in OQL is told in words, and never suggested as something else. */
test.each([
  ['logs | dedup user.id keep last', 'sort'],
  ['metric x{service.name="y"} | sum', 'where'],
  ['logs | streamstats count by a', 'running_sum'],
  ['logs | eventstats avg(x) by y', 'over all within'],
  ['spans | mv-expand tags', 'has'],
  ['logs | mv_expand tags', 'has'],
  ['logs | unwrap bytes_sent', 'stats sum(bytes_sent)'],
  ['logs | grok body "%{WORD:a}"', 'parse body pattern'],
  ['logs | extend x = split(body, " ")[0]', 'with `extend` first'],
  ['logs | extend x = a ? b : c', 'if(condition, a, b)'],
  ['logs | fields *', 'without `fields`'],
  ['spans | make-series n=count() on time step 5m', 'bucket(5m)'],
  ['spans | match a{x == 1} && b{y == 2}', 'expected'],
  ['spans | join logs on trace_id = trace_id', 'expected'],
  ['logs | count by a | extend x = rank(count) within a, y = 2', 'end of `extend`'],
])('%s', (written, hint) => {
  const [finding] = parse(written).findings;
  expect(finding?.message).toContain(hint);
  expect(finding?.suggestion).toBeUndefined();
});

test('leaves quoted text alone', () => {
  const [finding] = parse('logs | where body == "a group by b" and x = 1').findings;
  expect(finding?.message).toContain('equality');
});

test('reads empty braces as any span', () => {
  expect(parse('spans | match a{status == error} > {}').findings).toEqual([]);
});

test('knows only aggregates that exist as stages', () => {
  const known = new Set(AGGREGATES.map(({ name }) => name));
  expect([...AGGREGATE_WORDS].filter((word) => word !== 'histogram' && !known.has(word))).toEqual([]);
});
