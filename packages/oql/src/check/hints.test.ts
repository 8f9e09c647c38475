import { describe, expect, test } from 'vitest';
import { compile, validate } from '../compile.ts';
import { applySuggestion } from '../diagnostics/diagnostic.ts';
import type { FieldCatalogue } from './catalogue.ts';

const window = { fromNs: 0n, toNs: 3_600_000_000_000n };
const options = { scope: { workspace: 1 }, window, limit: 10, nowNs: window.toNs };
const sqlOf = (text: string) => {
  const compiled = compile(text, options);
  return compiled.ok ? compiled.sql : compiled.diagnostics.map(({ message }) => message);
};

describe('syntax from other languages', () => {
  test('reads `bucket(time, 5m)` as `bucket(5m)`', () => {
    expect(sqlOf('logs | stats n=count() by bucket(time, 5m) | fill 0')).toBe(
      sqlOf('logs | stats n=count() by bucket(5m) | fill 0'),
    );
    expect(sqlOf('logs | stats n=count() by bucket(observed_time, 5m)')).toContain('toStartOfInterval');
    expect(sqlOf('logs | stats n=count() by bucket(time, 10)')).toEqual([
      'The width of a bucket must be a duration such as `5m`, or `auto`.',
    ]);
  });
  test('finds an unnamed aggregate by its expression', () => {
    expect(sqlOf('spans | stats count() by name | sort -count() | limit 3')).toBe(
      sqlOf('spans | stats count() by name | sort -`count()` | limit 3'),
    );
    expect(sqlOf('spans | stats p95(duration) by name | where p95(duration) > 1s')).toContain('SELECT');
    expect(sqlOf('spans | stats n=count() by name | sort -count()')).toEqual([
      expect.stringContaining('use it in `stats`'),
    ]);
  });
  test('reads `from now-1h` as `from -1h`', () => {
    const compiled = compile('from now - 1h to now; spans | count', options);
    expect(compiled.ok && compiled.normalized).toMatch(/^from -1h to /);
  });
  test('rejects `+` between texts', () => {
    expect(sqlOf('spans | extend x = name + "!"')).toEqual([expect.stringContaining('`concat(a, b)`')]);
  });
  test('rejects a repetition that RE2 rejects', () => {
    expect(sqlOf('spans | where name =~ "a{1001}"')).toEqual([expect.stringContaining('more than 1000 times')]);
    expect(sqlOf('spans | where name =~ "a{2,1001}"')).toEqual([expect.stringContaining('more than 1000 times')]);
    expect(sqlOf(String.raw`spans | where name =~ "a\\{1001} b{1000}"`)).toContain('SELECT');
  });
  test('rejects numbers that do not fit in 64 bits', () => {
    const beyond = [expect.stringContaining('64 bits')];
    expect(sqlOf('logs | where time > now - 99999999999999d')).toEqual(beyond);
    expect(sqlOf('logs | extend x = 9223372036854775807 * 2')).toEqual(beyond);
    expect(sqlOf('logs | extend x = 9223372036854775807 + 0')).toContain('SELECT');
    expect(sqlOf('logs | where amount > 99999999999GB')).toEqual(beyond);
  });
  test('limits the length of a chain of operands, which is also its depth', () => {
    const chain = (operands: number) => `spans | extend x = ${Array(operands).fill('duration').join('+')} | fields x`;
    expect(sqlOf(chain(1000))).toContain('SELECT');
    expect(sqlOf(chain(4000))).toEqual(['A query can have at most 1000 operands.']);
    const nested = `${'('.repeat(90)}duration${`${'+duration'.repeat(50)})`.repeat(90)}`;
    expect(sqlOf(`spans | extend x = ${nested} | fields x`)).toEqual(['A query can have at most 1000 operands.']);
  });
  test('rejects unknown time formats', () => {
    expect(sqlOf('logs | extend x = format_time(time, "%Q")')).toEqual([expect.stringContaining('After `%`')]);
    expect(sqlOf('logs | extend x = format_time(time, "100 %")')).toEqual([expect.stringContaining('After `%`')]);
  });
  test.each(['| limit 5', 'metric | sum', 'profiles | flame'])('%s: reports a mistake once', (text) => {
    expect(validate(text).diagnostics).toHaveLength(1);
  });
});

describe('known names and types', () => {
  const catalogue: FieldCatalogue = {
    fields: [
      { signal: 'spans', scope: 'attribute', name: 'http.response.status_code', types: ['int'] },
      { signal: 'spans', scope: 'attribute', name: 'shard', types: ['int', 'string'] },
      { signal: 'spans', scope: 'resource', name: 'process.pid', types: ['int'] },
    ],
    metrics: [
      { name: 'http.server.request.duration', kind: 'histogram' },
      { name: 'both', kind: 'histogram' },
      { name: 'both', kind: 'gauge' },
    ],
  };
  const diagnosed = (text: string) => validate(text, { catalogue }).diagnostics;

  test('warns about an unknown metric and suggests a repair', () => {
    const text = 'metric http.server.request.duratoin | p99 by http.route';
    const [diagnostic] = diagnosed(text);
    expect(diagnostic).toMatchObject({ code: 'OQL-3104', severity: 'warning' });
    expect(diagnostic?.suggestion && applySuggestion(text, diagnostic.suggestion)).toBe(
      'metric http.server.request.duration | p99 by http.route',
    );
    expect(diagnosed('metric http.server.request.duration | p99')).toEqual([]);
    // Without a list of metrics there is no warning.
    expect(validate('metric nope | sum', { catalogue: { fields: [] } }).diagnostics).toEqual([]);
  });
  test('warns when a text is compared with a number', () => {
    expect(diagnosed('spans | where http.response.status_code == "500"')).toMatchObject([
      { code: 'OQL-3105', severity: 'warning', message: expect.stringContaining('only been seen as int') },
    ]);
    expect(diagnosed('spans | where http.response.status_code == 500')).toEqual([]);
    expect(diagnosed('spans | where shard == "a" and shard == 1')).toEqual([]);
    // Attributes of resources are kept as text.
    expect(diagnosed('spans | where process.pid == "7"')).toEqual([]);
  });
  test('does not warn about attributes of events, which are not listed', () => {
    expect(diagnosed('events | where exception.type == "E" | count')).toEqual([]);
  });
  test('computes the sum and the mean of the observations of a histogram', () => {
    const sql = (metric: string) => {
      const compiled = compile(`metric ${metric} | increase | stats s=sum(value), a=avg(value)`, {
        ...options,
        catalogue,
      });
      return compiled.ok ? compiled.sql : '';
    };
    expect(sql('http.server.request.duration')).toContain('coalesce');
    // In a metric of several kinds, each point is read by its own kind.
    expect(sql('both')).toContain('coalesce');
  });
});
