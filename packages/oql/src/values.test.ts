import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FieldCatalogue } from './check/catalogue.ts';
import { compile } from './compile.ts';
import type { ResultValue } from './result.ts';
import { type Engine, startEngine } from './testing/engine.ts';
import { NOW, SCOPE, WINDOW } from './testing/fixture.ts';
import { VALUE_CATALOGUE as catalogue, VALUE_TABLES } from './testing/value-fixture.ts';

/** An answer returns values as sent: numbers, booleans, lists, maps, and floats that JSON cannot represent. */

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine(VALUE_TABLES);
});
afterAll(() => engine.stop());

const of = (name: string) => `spans | where name == "${name}" | sort time`;

describe('an attribute of any type', () => {
  test.each<[string, readonly (readonly ResultValue[])[]]>([
    [`${of('text')} | fields a`, [['pear'], ['apple']]],
    [`${of('number')} | fields a`, [[72], [72.5]]],
    [`${of('bool')} | fields a`, [[true]]],
    [`${of('list')} | fields arr`, [[['a', 1, true, null, [2]]], [['b']]]],
    [
      `${of('map')} | fields kv`,
      [[{ x: { y: 5, z: 't', big: '9007199254740993' }, n: [1, 2], near: '9007199254740992' }]],
    ],
    [`${of('large')} | fields big`, [['9007199254740993']]],
    [`${of('nan')} | fields f`, [['NaN']]],
    [`${of('infinite')} | fields f`, [['Infinity'], ['-Infinity']]],
    [`${of('nan')} | extend x = float(f) | fields x`, [['NaN']]],
    [
      `${of('number')} | stats n=count() by a`,
      [
        [72, 1],
        [72.5, 1],
      ],
    ],
    [
      `${of('number')} | stats v=values(a), l=list(a)`,
      [
        [
          [72, 72.5],
          [72, 72.5],
        ],
      ],
    ],
    [`${of('number')} | stats f=first(a), l=last(a), m=argmax(a, duration)`, [[72, 72.5, 72.5]]],
    [`${of('number')} | extend x = coalesce(missing, a) | fields x`, [[72], [72.5]]],
    [`${of('number')} | stats n=count() by a | where a == 72 | fields a`, [[72]]],
  ])('%s', async (query, rows) => {
    expect((await engine.ask(query)).rows).toEqual(rows);
  });

  test('has the column type any, and a list the type of its elements', async () => {
    const { columns } = await engine.ask(`${of('number')} | stats v=values(a), d=values(duration) by a`);
    expect(columns).toEqual([
      { name: 'a', type: 'any' },
      { name: 'v', type: 'array', elements: 'any' },
      { name: 'd', type: 'array', elements: 'duration' },
    ]);
  });

  test('sorts as a number among numbers', async () => {
    const { rows } = await engine.ask(`${of('number')} | where n < a | stats n=count()`);
    expect(rows).toEqual([[2]]);
    expect((await engine.ask(`${of('number')} | sort n | fields n`)).rows).toEqual([[9], [10]]);
  });
});

describe('the largest and smallest', () => {
  test.each<[string, readonly ResultValue[]]>([
    [`${of('text')} | stats max(a), min(a)`, ['pear', 'apple']],
    [`${of('number')} | stats max(a), min(a)`, [72.5, 72]],
    [`${of('bool')} | stats max(a), min(a)`, [true, true]],
    // Numbers come before texts.
    ['spans | stats max(a), min(a)', [72.5, 72]],
    // 2^53 + 1 and 2^53 are the same float.
    [
      'spans | where name == "large" or name == "map" | extend x = coalesce(kv["near"], big) | stats max(x), min(x)',
      ['9007199254740993', '9007199254740992'],
    ],
    [`${of('text')} | stats max_if(a, a != "pear"), min_if(a, true)`, ['apple', 'apple']],
    [`${of('large')} | stats max(big)`, ['9007199254740993']],
    [`${of('text')} | stats max(missing)`, [null]],
    [`${of('text')} | stats argmax(word, a), argmin(word, a)`, ['x', '7']],
    [`${of('number')} | stats argmax(n, a), argmin(n, a)`, [9, 10]],
    // Ranks by numbers before texts.
    ['spans | stats argmax(duration, a), argmin(duration, a)', [3, 2]],
    [`${of('bool')} | stats argmax(duration, a)`, [4]],
    [`${of('text')} | stats argmax(duration, missing)`, [null]],
    [`${of('text')} | stats argmax(a, service.name)`, ['pear']],
  ])('%s', async (query, row) => {
    expect((await engine.ask(query)).rows).toEqual([row]);
  });

  test('have the known type of the attribute', async () => {
    const { columns } = await engine.ask('spans | stats x=max(attr.n), y=max(attr.word), z=max(attr.a)', { catalogue });
    expect(columns.map(({ type }) => type)).toEqual(['float', 'string', 'any']);
    expect((await engine.ask(`${of('text')} | stats y=max(attr.word)`, { catalogue })).rows).toEqual([['x']]);
    const ofInts: FieldCatalogue = { fields: [{ signal: 'spans', scope: 'attribute', name: 'big', types: ['int'] }] };
    const whole = await engine.ask(`${of('large')} | stats max(attr.big), min(attr.big)`, { catalogue: ofInts });
    expect(whole.columns.map(({ type }) => type)).toEqual(['int', 'int']);
    expect(whole.rows).toEqual([['9007199254740993', '9007199254740993']]);
  });

  test('are numbers for `fill` and `compare`', async () => {
    const { rows } = await engine.ask(`${of('number')} | stats m=max(a) by bucket(1h) | fill 0 | fields m`);
    expect(rows).toEqual([[72.5]]);
  });
});

describe('lists and maps', () => {
  test.each<[string, number]>([
    ['array_has(arr, "a")', 1],
    ['array_has(arr, 1)', 1],
    ['array_has(arr, true)', 1],
    ['array_has(arr, "1")', 0],
    ['arr has "a"', 1],
    ['arr has "b"', 1],
    ['arr has 1', 1],
    ['tags has "b"', 1],
    ['array_length(arr) == 5', 1],
    ['arr[0] == "b"', 1],
    ['kv["x"]["y"] == 5', 1],
    ['kv["x"]["z"] == "t"', 1],
    ['kv["n"][1] == 2', 1],
    ['attr["kv"]["x"]["y"] == 5', 1],
    ['kv["x"]["none"] exists', 0],
    ['not array_has(arr, "a") and arr exists', 1],
    ['order["items"][0]["sku"] == "s1"', 1],
    ['order["items"][0]["tags"][1] == "b"', 1],
    ['order["first"]["of"]["all"] < 2', 1],
    ['order["items"][1]["sku"] exists', 0],
    // A map has no first element.
    ['order[0] exists or kv["x"][0] exists or order["first"]["of"][0] exists', 0],
  ])('%s holds for %i spans', async (condition, count) => {
    expect((await engine.ask(`spans | where ${condition} | stats n=count()`)).rows).toEqual([[count]]);
  });

  test('groups by a value deep inside', async () => {
    const { rows } = await engine.ask('spans | where order exists | stats n=count() by order["items"][0]["sku"]');
    expect(rows).toEqual([['s1', 1]]);
  });

  test('reads into a known map by a dotted name', async () => {
    const { rows } = await engine.ask('spans | where kv.x.y == 5 | fields kv.x.y, kv.x.z, kv.x.big', { catalogue });
    expect(rows).toEqual([[5, 't', '9007199254740993']]);
  });

  test('joins the elements of an attribute', async () => {
    expect((await engine.ask(`${of('map')} | extend x = join(kv["n"], "-") | fields x`)).rows).toEqual([['1-2']]);
  });

  test('suggests `has` when a list is compared with one value', () => {
    const compiled = compile('spans | where arr == "a"', {
      scope: SCOPE,
      window: WINDOW,
      limit: 10,
      nowNs: NOW,
      catalogue,
    });
    if (!compiled.ok) throw new Error('it does not compile');
    expect(compiled.warnings.map(({ message }) => message)).toEqual([expect.stringContaining('`has`')]);
  });
});

describe('attributes beyond the whole numbers that a float can hold', () => {
  // The values are 2^53 + 1 and, twice, 2^63 - 1.
  test.each<[string, number]>([
    ['big == 9007199254740993', 1],
    ['big == 9007199254740992', 0],
    ['big > 9007199254740992', 3],
    ['big < 9007199254740993', 0],
    ['big >= 9007199254740994', 2],
    ['big < 9223372036854775807', 1],
    ['big between 9007199254740993 .. 9007199254740993', 1],
    ['big in (9007199254740992)', 0],
    ['big in (1, 9007199254740993)', 1],
    ['big not in (9007199254740992) and big exists', 3],
    ['big > -9007199254740993 and big exists', 3],
    ['not (big > -9007199254740993) and big == null', 12],
  ])('%s holds for %i spans', async (condition, count) => {
    const counted = await engine.ask(`spans | where ${condition} | stats n=count()`);
    expect(counted.rows).toEqual([[count]]);
    // As a column of an earlier stage it is stored in another form.
    const stored = await engine.ask(`spans | limit 100 | where ${condition} | stats n=count()`);
    expect(stored.rows).toEqual([[count]]);
  });
});

describe('types of the store beneath one type of the language', () => {
  test.each<[string, readonly ResultValue[]]>([
    // A length, a count and a duration are unsigned; literals are signed.
    ['extend x = largest(length(word), 3) | where word exists | fields x', [3, 3]],
    ['extend x = if(word exists, duration, 5ns) | where word exists | fields x', [0, 1]],
    ['extend x = clamp(ceil(length(name)), 0.5, floor(3)) | where word exists | fields x', [3, 3]],
    ['extend x = coalesce(int(nope), length(name), 1) | where word exists | fields x', [4, 4]],
    ['where word exists and (length(lower(word)) == int(word) or word == "7") | fields word', ['7']],
    ['where word exists and length(lower(nope)) == int(nope) | fields word', ['x', '7']],
    ['where a exists and int(a) == float(a) and a != true | fields a', ['pear', 'apple', 72]],
    ['where n exists | extend x = int(n) % 2.5, y = x + 1 | fields y', [1, 2.5]],
    ['where name == "bool" | extend x = 4611686018427387904 % 7.5 | fields x', [4]],
    ['where name == "bool" | extend x = -4611686018427387904 % 7.5 | fields x', [-4]],
    ['where name == "bool" | extend x = 9007199254740993 % 2.5 | fields x', [0.5]],
    // An attribute is read as a float, and divided by a whole number.
    ['where n exists and n % 4 == 2 | fields n', [10]],
    ['where name == "bool" | extend x = 1e17 % 7.5, y = 1e17 % -7.5 | fields x', [2.5]],
    ['where name == "bool" | extend x = 4611686018427387904 % 0.1 | fields x', [2 ** 62 % 0.1]],
    ['where name == "bool" | extend x = 4611686018427387904 % 1e30 | fields x', [2 ** 62]],
    ['where name == "bool" | extend x = 4611686018427387904 % 0.0 | fields x', [null]],
    ['where n exists | stats k=count() by b=bucket(-int(n), 4) | fields b', [-12]],
    // The store keeps names in a dictionary, which contains the empty name too.
    ['where name == "bool" | extend x = 30 % int(replace(name, "bool", "7")) | fields x', [2]],
    ['where name == "bool" | extend x = 30 % int(name) | fields x', [null]],
    ['where name == "bool" | extend x = duration % int(name) | fields x', [null]],
    ['where name == "bool" | extend x = 30 % float(name) | fields x', [null]],
    // Both signs of zero and of NaN.
    ['where n exists | extend x = 0 * case(n == 10, -1.5, 1.5) | stats k=count() by x | fields k', [2]],
    ['where f exists and name == "infinite" | extend x = f * 0.0 | stats k=count() by x | fields k', [2]],
    ['where f exists and name == "infinite" | extend x = f * 0.0 | dedup x | fields x', ['NaN']],
    ['where n exists | extend x = 0 * case(n == 10, -1.5, 1.5) | stats d=count_distinct(x)', [1]],
    // A single duration has no spread.
    ['where word exists | stats s=stddev(duration) by word | fields s', [null, null]],
    ['where word exists or n exists | stats s=stddev(duration) by name | fields s', [1, 1]],
    ['where n exists | extend s = stddev(duration) over 2 rows | sort time | fields s', [null, 1]],
  ])('%s', async (stages, values) => {
    expect((await engine.ask(`spans | sort time | ${stages}`)).rows.map(([value]) => value)).toEqual(values);
  });
});

describe('constant arguments', () => {
  test.each<[string, ResultValue]>([
    ['sum_if(duration, false)', 0],
    ['sum_if(int(n), 1 == 2)', 0],
    ['sum_if(float(n), false)', 0],
    ['avg_if(duration, false)', null],
    ['max_if(duration, false)', null],
    ['count_distinct_if(name, false)', 0],
    ['sum_if(1, true)', 15],
    // The engine finds that these never hold.
    ['sum_if(position(lower(word), "x"), "" contains "a")', 0],
    ['sum_if(position(lower(word), "x"), word == "x" and "" contains "a")', 0],
    ['sum_if(duration, duration > 1ns and not ("" startswith ""))', 0],
    ['sum(if(word == "x" and "" contains "a", int(n), null))', 0],
    ['sum_if(float(n), word == "x" and "" contains "a")', 0],
    ['avg_if(int(n), word == "x" and "" contains "a")', null],
    ['min_if(int(n) * 2, word == "x" and "" contains "a")', null],
    ['list(null)', []],
    ['changes(null)', 0],
    ['changes(if(duration >= 0ns, float("nan"), 1.0))', 0],
  ])('%s', async (aggregate, expected) => {
    expect((await engine.ask(`spans | stats x=${aggregate}`)).rows).toEqual([[expected]]);
  });

  test.each<[string, ResultValue]>([
    ['substring(name, -2)', 'ge'],
    ['substring(name, 0)', 'large'],
    ['substring(name, int(nope))', null],
    ['substring(name, 1, int(nope))', null],
  ])('%s of "large"', async (expression, expected) => {
    expect((await engine.ask(`${of('large')} | extend x=${expression} | fields x`)).rows).toEqual([[expected]]);
  });
});

describe('conditions on groups', () => {
  test.each<[string, readonly (readonly ResultValue[])[]]>([
    ['stats w=max(lower(word)) by name | where w =~ "^x" or w =~ "^y" | fields name', [['text']]],
    ['stats w=first(lower(word)) by name | where w =~ "^x" or w == "y" | fields name', [['text']]],
    ['stats w=last(lower(word)) | where not (w =~ "^x" or w !~ "7")', [['7']]],
    ['stats w=max(lower(word)) by name | where name == "text" | where w =~ "x" or w has "y" | fields w', [['x']]],
  ])('match regular expressions: %s', async (stages, rows) => {
    expect((await engine.ask(`spans | ${stages}`)).rows).toEqual(rows);
  });
});

describe('a key that no row has as a text', () => {
  test.each<[string, readonly (readonly ResultValue[])[]]>([
    ['stats n=count() by k=word | where not (k exists)', [[null, 13]]],
    ['stats n=count() by k=word | where k == null | fields n', [[13]]],
    [
      'stats n=count() by k=word | stats n=count() by none=not (k exists) | sort n',
      [
        [true, 1],
        [false, 2],
      ],
    ],
    ['stats n=count() by k=word | stats n=count(k), m=count()', [[2, 3]]],
    ['stats n=count() by k=word | extend x=coalesce(k, "none") | where x == "none" | fields n', [[13]]],
    [
      'stats n=count() by k=word | extend x=if(k exists, "some", "none") | stats n=sum(n) by x',
      [
        ['none', 13],
        ['some', 2],
      ],
    ],
  ])('is found where it is missing: %s', async (stages, rows) => {
    expect((await engine.ask(`spans | ${stages}`)).rows).toEqual(rows);
  });
});

describe('one group', () => {
  test.each<[string, readonly (readonly ResultValue[])[]]>([
    ['spans | stats n=count() | stats groups=count()', [[1]]],
    ['spans | where name == "nobody" | stats n=count() | count', [[1]]],
    ['spans | stats n=count() | extend x = "one" | fields x', [['one']]],
    ['spans | stats n=count() | where true or 1 == 2 | count', [[1]]],
    ['spans | stats x=1', [[1]]],
    ['spans | where name == "nobody" | stats x=1 | where 1 == 1', [[1]]],
  ])('is one row, also where nothing reads its aggregates: %s', async (query, rows) => {
    expect((await engine.ask(query)).rows).toEqual(rows);
  });
});

describe('whole numbers', () => {
  test.each([
    'stats s=sum(int(big))',
    'stats s=sum_if(int(big), true)',
    'extend s = int(big) + 1 | fields s',
    'extend s = int(big) * 2 | fields s',
    'extend s = -int(big) - 10 | fields s',
    'extend s = duration * int(big) | fields s',
    'extend s = time + duration(int(big), "ns") | fields s',
    'extend s = duration(int(big), "s") | fields s',
    'extend s = duration / 0.0000000000000000001 | fields s',
  ])('%s fails beyond 64 bits, and never wraps', async (stages) => {
    await expect(engine.ask(`${of('huge')} | ${stages}`)).rejects.toThrow(/cannot be safely converted|inf or nan/);
  });

  test.each([
    ['duration / float(nope)', null],
    ['duration / float(nope) / 2', null],
    ['duration / (float(b) / float(nope))', null],
    ['duration / 0', null],
    ['duration * float(nope)', null],
    ['duration(float(nope), "s")', null],
    ['int(nope) - (-9223372036854775807 - 1)', null],
    ['-int(nope) * (-9223372036854775807 - 1)', null],
  ])('%s of a value that is missing is null', async (expression, expected) => {
    const { rows } = await engine.ask(`spans | extend s = ${expression} | dedup s | fields s`);
    expect(rows).toEqual([[expected]]);
  });

  test('are exact up to 64 bits', async () => {
    const { rows } = await engine.ask(
      `${of('large')} | extend s = int(big) + 1 - 2, p = int(big) * 3 | stats s=max(s), p=sum(p), a=avg(int(big))`,
    );
    expect(rows).toEqual([['9007199254740992', '27021597764222979', 9007199254740992]]);
  });

  const small = 'where int(big) < 9100000000000000000';
  test.each<[string, readonly ResultValue[]]>([
    [`${small} | extend y = int(big) * 2 | where y > 4 | fields y`, ['18014398509481986']],
    [`${small} | extend y = int(big) * 2, z = y * 1 | where z > 4 and y > 3 | stats m=max(z)`, ['18014398509481986']],
    [`${small} | extend y = int(big) * 2 | where y > 4 | stats n=count() by y`, ['18014398509481986', 1]],
  ])('%s does not fail for rows that an earlier condition removes', async (stages, row) => {
    expect((await engine.ask(`spans | ${stages}`)).rows).toEqual([row]);
  });

  const some = 'int(big) < 9100000000000000000';
  test.each<[string, readonly ResultValue[]]>([
    [`stats m=max_if(int(big) * 2, ${some})`, ['18014398509481986']],
    [
      `stats m=min_if(int(big) + 1, ${some}), n=sum_if(int(big) * 2, ${some})`,
      ['9007199254740994', '18014398509481986'],
    ],
    [`stats m=max(if(${some}, int(big) * 2, null))`, ['18014398509481986']],
    [`stats m=max(case(${some}, int(big) * 2, null))`, ['18014398509481986']],
    [`stats m=avg_if(-int(big) - 9, ${some}), n=count_distinct_if(int(big) * 2, ${some})`, [-9007199254741002, 1]],
    [
      `extend y = if(${some}, int(big) * 2, null) | stats m=max(y), n=max_if(y, duration > 0ns)`,
      Array(2).fill('18014398509481986'),
    ],
  ])('%s does not fail for rows that its condition excludes', async (stages, row) => {
    expect((await engine.ask(`spans | ${stages}`)).rows).toEqual([row]);
  });

  test('allows a sum to exceed 64 bits on the way', async () => {
    const { rows } = await engine.ask(`${of('huge')} | limit 1 | extend s = int(big) + int(big) - int(big) | fields s`);
    expect(rows).toEqual([['9223372036854775807']]);
  });

  test('computes the mean of large integers without wrapping', async () => {
    expect((await engine.ask(`${of('huge')} | stats a=avg(int(big))`)).rows).toEqual([[2 ** 63]]);
  });
});
