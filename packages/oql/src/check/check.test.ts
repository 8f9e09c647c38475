import { describe, expect, test } from 'vitest';
import { compile, validate } from '../compile.ts';
import { applySuggestion } from '../diagnostics/diagnostic.ts';
import type { FieldCatalogue } from './catalogue.ts';

describe('reports each mistake with its position and a repair', () => {
  /** The text, the code, the underlined part, and the text after applying the suggestion (absent if there is none). */
  const mistakes: readonly (readonly [text: string, code: string, underlined: string, corrected?: string])[] = [
    ['lgos | where a == 1', 'OQL-3001', 'lgos', 'logs | where a == 1'],
    ['logs | where a == 1 | cont by b', 'OQL-2002', 'cont', 'logs | where a == 1 | count by b'],
    ['logs | summarise', 'OQL-2002', 'summarise'],
    ['logs | lower', 'OQL-2002', 'lower'],
    ['spans | where lowr(name) == "a"', 'OQL-3002', 'lowr', 'spans | where lower(name) == "a"'],
    ['spans | where strlen(name) > 1', 'OQL-3002', 'strlen', 'spans | where length(name) > 1'],
    ['spans | stats n=count() by name | where m > 1', 'OQL-3003', 'm'],
    [
      'spans | stats total=count() by name | where totl > 1',
      'OQL-3003',
      'totl',
      'spans | stats total=count() by name | where total > 1',
    ],
    ['spans | fields name, duration | where http.route == "/"', 'OQL-3003', 'http.route'],
    ['spans | omit nme', 'OQL-3003', 'nme', 'spans | omit name'],
    ['spans | where status == eror', 'OQL-3004', 'eror', 'spans | where status == error'],
    ['spans | where kind in (server, clent)', 'OQL-3004', 'clent', 'spans | where kind in (server, client)'],
    ['logs | where severity >= lower(body)', 'OQL-4001', 'severity >= lower(body)'],
    ['spans | where duration > 100', 'OQL-4002', '100', 'spans | where duration > 100ms'],
    ['spans | where duration > amount', 'OQL-4002', 'amount'],
    ['spans | where duration == "1s"', 'OQL-4001', 'duration == "1s"'],
    ['logs | where time > "2026-11-19"', 'OQL-4001', '"2026-11-19"', 'logs | where time > 2026-11-19T00:00:00Z'],
    [
      'logs | where severity_number == "17"',
      'OQL-4001',
      'severity_number == "17"',
      'logs | where severity_number == 17',
    ],
    ['logs | where body + 1 == 2', 'OQL-4001', 'body + 1'],
    ['spans | extend x = duration + 1', 'OQL-4001', 'duration + 1'],
    ['logs | where body', 'OQL-4005', 'body'],
    ['logs | where not 5', 'OQL-4005', '5'],
    ['logs | where count() > 1', 'OQL-4006', 'count()'],
    ['logs | stats n=sum(count())', 'OQL-4006', 'count()'],
    ['logs | extend b = bucket(5m)', 'OQL-4006', 'bucket(5m)'],
    ['spans | stats d=duration', 'OQL-4007', 'duration', 'spans | stats d=max(duration)'],
    ['spans | stats n=p99()', 'OQL-4003', 'p99()'],
    ['logs | stats count by service.name', 'OQL-4007', 'count', 'logs | stats count() by service.name'],
    ['spans | stats p(duration, 99)', 'OQL-3002', 'p'],
    [
      'spans | stats count() by bin(duration, 50ms)',
      'OQL-3002',
      'bin',
      'spans | stats count() by bucket(duration, 50ms)',
    ],
    ['metric m | where value > 0.8 for 5m', 'OQL-5003', '5m'],
    ['logs | stats n=count() by bucket(2m) | where n > 1 for 5m', 'OQL-4008', '5m'],
    ['logs | stats n=count() by bucket(1m) | top 5 by n | where n > 1 for 5m', 'OQL-5002', '5m'],
    ['logs | stats n=count() by bucket(1d, "Asia/Tokyo") | where n > 1 for 2d', 'OQL-5002', '2d'],
    ['logs | stats n=count() by bucket(1s) | where n > 1 for 1h', 'OQL-4008', '1h'],
    ['logs | count without region', 'OQL-5001', 'region'],
    ['metric m | sum without time', 'OQL-5002', 'time'],
    ['spans | histogram(duration)', 'OQL-4003', 'histogram(duration)'],
    ['spans | histogram(duration, 5)', 'OQL-4004', 'histogram(duration, 5)'],
    ['spans | stats d=stdevp(duration)', 'OQL-3002', 'stdevp', 'spans | stats d=stddev_pop(duration)'],
    ['logs | where time > now - 1mo', 'OQL-4001', '1mo'],
    ['logs | stats n=count() by bucket(1month)', 'OQL-2005', '1month', 'logs | stats n=count() by bucket(1mo)'],
    ['logs | stats n=count() by bucket(0mo)', 'OQL-4008', '0mo'],
    ['logs | stats n=count() by bucket(6h, "Europe/Berlin")', 'OQL-4008', '6h'],
    ['logs | extend h = hour(time, "Europe/Dublim")', 'OQL-4008', 'hour(time, "Europe/Dublim")'],
    ['logs | stats n=count() by bucket(1h) | compare 1mo', 'OQL-5002', '1mo'],
    ['logs | stats n=count() by bucket(1h) | compare 1d "Europe/Dublin"', 'OQL-5002', '"Europe/Dublin"'],
    ['logs | stats n=count() by bucket(1d, "Europe/Dublin") | compare 1mo', 'OQL-5002', '1mo'],
    ['logs | stats n=count() by bucket(1d, "Europe/Dublin") | compare 1d "Asia/Tokyo"', 'OQL-4008', '"Asia/Tokyo"'],
    ['logs | stats n=count() by bucket(2mo) | compare 3mo', 'OQL-4008', '3mo'],
    ['logs | stats n=count() by bucket(1mo) | compare 30d', 'OQL-5002', '30d'],
    ['logs | stats n=count() by bucket(1mo) | extend m = max(n) over 30d', 'OQL-4008', '30d'],
    ['logs | stats n=count() | compare 36h "Europe/Dublin"', 'OQL-4008', '36h'],
    ['metric m | rate 5m | sum by bucket(1mo)', 'OQL-5002', 'bucket(1mo)'],
    ['logs | extend a = length(body) within service.name', 'OQL-5002', 'extend a = length(body) within service.name'],
    [
      'logs | stats n=count() by name | extend a = rank(n) within nme',
      'OQL-3003',
      'nme',
      'logs | stats n=count() by name | extend a = rank(n) within name',
    ],
    ['logs | stats n=count() by name | extend a = rank()', 'OQL-5003', 'rank()'],
    ['logs | stats n=count() by bucket(5m), a, b | extend l = lag(n) within a', 'OQL-5003', 'lag(n)'],
    ['logs | stats n=count() by bucket(5m), a, b | extend l = sum(n) over 2 buckets within a', 'OQL-5003', '2 buckets'],
    ['logs | stats n=count() by bucket(5m), a, b | extend l = sum(n) over 2 rows within a', 'OQL-5003', '2 rows'],
    ['logs | stats n=count() by bucket(5m), a, b | extend l = sum(n) over 10m within a', 'OQL-5003', '10m'],
    ['logs | stats n=count() by a | top 1 by n within n other', 'OQL-5002', 'top 1 by n within n other'],
    ['spans | stats n=p99(name)', 'OQL-4004', 'name'],
    ['logs | p99', 'OQL-4003', 'p99'],
    ['logs | where lower(body, "x") == "a"', 'OQL-4003', 'lower(body, "x")'],
    ['logs | extend x = bool(2)', 'OQL-4004', '2'],
    ['spans | extend x = bool(duration)', 'OQL-4004', 'duration'],
    ['spans | extend x = int(time)', 'OQL-4004', 'time'],
    ['spans | extend x = float(event.names)', 'OQL-4004', 'event.names'],
    ['spans | extend x = int(attributes)', 'OQL-4004', 'attributes'],
    ['logs | extend x = array_length(body)', 'OQL-4004', 'body'],
    ['spans | stats x=max(attributes)', 'OQL-4004', 'attributes'],
    ['logs | where in_cidr(ip, "10.0.0.0/33")', 'OQL-4008', 'in_cidr(ip, "10.0.0.0/33")'],
    ['logs | where in_cidr(ip, "300.0.0.0/8")', 'OQL-4008', 'in_cidr(ip, "300.0.0.0/8")'],
    ['logs | where in_cidr(ip, ":::/8")', 'OQL-4008', 'in_cidr(ip, ":::/8")'],
    ['logs | extend x = regex_replace(body, "(a)[(]", "\\\\2")', 'OQL-4008', 'regex_replace(body, "(a)[(]", "\\\\2")'],
    ['spans | stats n=quantile(duration, 99)', 'OQL-4008', 'quantile(duration, 99)'],
    ['logs | where body =~ "a(b"', 'OQL-4009', 'body =~ "a(b"'],
    ['logs | where body =~ "(?=a)"', 'OQL-4009', 'body =~ "(?=a)"'],
    ['logs | where body =~ "(a)\\\\1"', 'OQL-4009', 'body =~ "(a)\\\\1"'],
    ['logs | parse body "no names"', 'OQL-4009', '"no names"'],
    ['logs | limit 1.5', 'OQL-4008', '1.5'],
    ['logs | stats n=count() by bucket(5)', 'OQL-4008', '5'],
    ['logs | sample 2', 'OQL-4008', '2'],
    ['logs | stats n=count(), n=count()', 'OQL-3006', 'n=count()'],
    ['logs | fields body, body', 'OQL-3006', 'body'],
    ['logs | stats n=count() | fill 0', 'OQL-5003', 'fill 0'],
    ['logs | increase', 'OQL-5001', 'increase'],
    ['logs | match a{true} > b{true}', 'OQL-5001', 'match a{true} > b{true}'],
    ['traces | where http.route == "/"', 'OQL-3003', 'http.route'],
    ['logs | where trace_id in (spans)', 'OQL-4001', 'spans'],
    ['logs | where trace_id in (spans | fields trace_id, name)', 'OQL-4001', 'spans | fields trace_id, name'],
    ['logs | where severity_number in (spans | fields name)', 'OQL-4001', 'severity_number in (spans | fields name)'],
    ['let a = (a | limit 1); a', 'OQL-3001', 'a'],
    ['from now to -1h; logs', 'OQL-4010', 'from now to -1h;'],
    ['flags "checkout" | where http.route == "/"', 'OQL-3003', 'http.route'],
    ['logs | flame', 'OQL-5001', 'flame'],
    ['logs | where n == 99999999999999999999', 'OQL-4008', '99999999999999999999'],
  ];
  const cases = mistakes.map(([text, code, underlined, corrected]) => ({ text, code, underlined, corrected }));
  test.each(cases)('$text', ({ text, code, underlined, corrected }) => {
    const { valid, diagnostics } = validate(text);
    expect(valid).toBe(false);
    const [first] = diagnostics.filter((diagnostic) => diagnostic.severity === 'error');
    if (!first) throw new Error('no error reported');
    expect([first.code, text.slice(first.span.start, first.span.end)], first.message).toEqual([code, underlined]);
    expect(first.suggestion && applySuggestion(text, first.suggestion)).toBe(corrected);
    if (corrected !== undefined) expect(validate(corrected)).toMatchObject({ valid: true });
  });

  test('reports all syntax and semantic mistakes at once, each with its stage', () => {
    const { diagnostics } = validate('spans | wher x | where duration > 5 | stats n=cont() | sort nn');
    expect(diagnostics.map(({ code, span, stage }) => [code, span.start, stage])).toEqual([
      ['OQL-2002', 8, 'wher'],
      ['OQL-4002', 34, 'where'],
      ['OQL-3002', 46, 'stats'],
      ['OQL-3003', 60, 'sort'],
    ]);
  });

  test.each([
    ['up', 'metric up'],
    ['http_requests_total | limit 5', 'metric http_requests_total'],
  ])('shows how the bare name of a metric is queried: %s', (text, written) => {
    const [first] = validate(text).diagnostics;
    expect(first?.message).toContain(`\`${written}\``);
  });

  test('reports no unknown names after an unknown stage', () => {
    const { diagnostics } = validate('spans | frobnicate | where anything == 1 | stats n=count() by nothing | sort n');
    expect(diagnostics.map((diagnostic) => diagnostic.code)).toEqual(['OQL-2002']);
  });
});

describe('rejects queries that grow exponentially', () => {
  const text = (query: string) => validate(query).diagnostics.map((diagnostic) => diagnostic.code);

  test('rejects a `let` that doubles repeatedly', () => {
    const lets = Array.from(
      { length: 40 },
      (_, i) => `let a${i} = (${i === 0 ? 'spans' : `a${i - 1} | join a${i - 1} on trace_id as l${i}`});`,
    );
    expect(text(`${lets.join(' ')} a39`)).toContain('OQL-1006');
  });

  test('keeps the SQL short when each column uses the previous one twice', () => {
    const assignments = Array.from(
      { length: 200 },
      (_, i) => `c${i} = ${i === 0 ? 'length(body)' : `c${i - 1} + c${i - 1}`}`,
    );
    const compiled = compile(`logs | extend ${assignments.join(', ')} | fields c199`, {
      scope: { workspace: 1 },
      window: { fromNs: 0n, toNs: 1n },
      limit: 1,
      nowNs: 1n,
    });
    expect(compiled.ok && compiled.sql.length).toBeLessThan(100_000);
  });

  test('rejects more columns than a result can have', () => {
    expect(text(`logs | extend ${Array.from({ length: 501 }, (_, i) => `c${i} = 1`).join(', ')}`)).toContain(
      'OQL-1005',
    );
  });
});

describe('with a catalogue of known fields', () => {
  const catalogue: FieldCatalogue = {
    fields: [
      { signal: 'spans', scope: 'attribute', name: 'http.route', types: ['string'] },
      { signal: 'spans', scope: 'attribute', name: 'order.id', types: ['int'] },
      { signal: 'spans', scope: 'attribute', name: 'region', types: ['string'] },
      { signal: 'spans', scope: 'resource', name: 'region', types: ['string'] },
      { signal: 'spans', scope: 'resource', name: 'host.name', types: ['string'] },
    ],
  };
  const diagnosed = (text: string) =>
    validate(text, { catalogue }).diagnostics.map(({ code, severity }) => [code, severity]);
  const options = { scope: { workspace: 1 }, window: { fromNs: 0n, toNs: 1n }, limit: 1, nowNs: 1n, catalogue };

  test.each(['statuscode', 'status_code', 'http_status', 'http.status'])('takes %s for the status of HTTP', (name) => {
    const { diagnostics } = validate(`spans | where ${name} >= 500`);
    expect(diagnostics.map(({ suggestion }) => suggestion?.edit.text)).toEqual(['http.response.status_code']);
  });

  test('warns about an unknown attribute and suggests the nearest name', () => {
    const { valid, diagnostics } = validate('spans | where http.rout == "/"', { catalogue });
    expect(valid).toBe(true);
    expect(diagnostics[0]).toMatchObject({
      code: 'OQL-3102',
      severity: 'warning',
      suggestion: { edit: { text: 'http.route' } },
    });
  });

  test('warns about a name that is both an attribute and a resource attribute', () => {
    expect(diagnosed('spans | where region == "eu"')).toEqual([['OQL-3101', 'warning']]);
    expect(diagnosed('spans | where resource.region == "eu"')).toEqual([]);
  });

  test('compiles to the same SQL without a catalogue, since a new type may have arrived', () => {
    for (const text of ['spans | fields http.route, order.id, host.name', 'spans | stats count() by region']) {
      const [with_, without] = [compile(text, options), compile(text, { ...options, catalogue: { fields: [] } })];
      expect(with_.ok && with_.sql).toBe(without.ok && without.sql);
    }
  });

  test('reports the time span that a query reads, with its lookback', () => {
    const window = { fromNs: 7_200_000_000_000n, toNs: 10_800_000_000_000n };
    const compiled = compile('spans | stats n=count() by http.route | compare 1h', { ...options, window });
    expect(compiled.ok && compiled.reach).toEqual({ fromNs: 3_600_000_000_000n, toNs: 10_800_000_000_000n });
  });
});

describe('parameters', () => {
  const options = { scope: { workspace: 1 }, window: { fromNs: 0n, toNs: 1n }, limit: 1, nowNs: 1n };

  test('replaces `$name` with a value or a list', () => {
    const compiled = compile('logs | where service.name == $service and severity_number in ($levels)', {
      ...options,
      params: { service: 'cart', levels: [9, 17] },
    });
    if (!compiled.ok) throw new Error('the query does not compile');
    const values = Object.values(compiled.params).map((parameter) => parameter.value);
    expect(values).toContain('cart');
    expect(values).toContainEqual(['9', '17']);
  });

  test('accepts an enum value as text', () => {
    const compiled = compile('logs | where severity >= $level', { ...options, params: { level: 'ERROR' } });
    expect(compiled.ok && compiled.sql).toContain('(severity >= 17)');
  });

  test('accepts enum values in any case as a list', () => {
    const sqlOf = (text: string, params = {}) => {
      const compiled = compile(text, { ...options, params });
      return compiled.ok && compiled.sql;
    };
    const written = sqlOf('spans | where kind in ("SERVER", "client") | count');
    expect(written).toContain("(kind = 'server')");
    expect(sqlOf('spans | where kind in ($kinds) | count', { kinds: ['SERVER', 'client'] })).toBe(written);
  });

  test('reports a missing parameter at compile time, but not while editing', () => {
    const text = 'logs | where service.name == $servce';
    expect(validate(text)).toEqual({ valid: true, diagnostics: [] });
    const compiled = compile(text, { ...options, params: { service: 'cart' } });
    expect(compiled).toMatchObject({
      ok: false,
      diagnostics: [{ code: 'OQL-3005', suggestion: { edit: { text: '$service' } } }],
    });
  });
});
