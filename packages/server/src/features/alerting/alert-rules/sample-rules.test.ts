import type { ResultColumn, ResultValue } from '@fanion/oql';
import { describe, expect, it } from 'vitest';
import { identityOf, rowsOf, samplesOf, shapeOf } from './sample-rules.ts';
import { noState, type RuleState, type Semantics, step } from './step-rules.ts';

const columnsOf = (types: Readonly<Record<string, ResultColumn['type']>>): ResultColumn[] =>
  Object.entries(types).map(([name, type]) => ({ name, type }));

describe('the shape of an answer', () => {
  it.each([
    ['the column `value`', { name: 'string', value: 'float', n: 'int' }, ['name'], { keys: ['name'], value: 'value' }],
    ['the only number', { name: 'string', n: 'int' }, ['name'], { keys: ['name'], value: 'n' }],
    ['a number that is not a key', { code: 'int', n: 'int' }, ['code'], { keys: ['code'], value: 'n' }],
    ['no number', { name: 'string', text: 'string' }, ['name'], 'no_number'],
    ['two numbers', { a: 'int', b: 'int' }, [], 'several_numbers'],
    ['a time to group by', { t: 'timestamp', n: 'int' }, ['t'], 'time'],
  ] as const)('is read from %s', (_name, types, keys, shape) => {
    expect(shapeOf(columnsOf(types), keys)).toEqual(shape);
  });
});

describe('the rows of an answer', () => {
  const columns = columnsOf({ name: 'string', value: 'float' });
  const shape = { keys: ['name'], value: 'value' };

  it.each<[string, readonly ResultValue[], readonly ResultValue[], Readonly<Record<string, string>>]>([
    ['with the same keys', ['a', 1], ['a', 2], {}],
    ['with no key and an empty one', [null, 1], ['', 2], {}],
    ['whose key the rule itself sets', ['a', 1], ['b', 2], { name: 'x' }],
    ['whose keys are cut to the same text', [`${'x'.repeat(1_024)}a`, 1], [`${'x'.repeat(1_024)}b`, 2], {}],
  ])('are refused if there are two %s', (_name, one, other, labels) => {
    expect(rowsOf(shape, columns, [one, other], labels)).toMatchObject({ problem: 'duplicate' });
  });

  it('stay different when only the joined text of their keys is equal', () => {
    const two = columnsOf({ a: 'string', b: 'string', value: 'float' });
    const rows = rowsOf(
      { keys: ['a', 'b'], value: 'value' },
      two,
      [
        ['x', 'y,z', 1],
        ['x,y', 'z', 2],
      ],
      {},
    );
    expect(rows).toHaveLength(2);
  });
});

describe('a query that changes its columns between evaluations', () => {
  const minute = 60_000;
  const semantics: Semantics = {
    everyMs: minute,
    forMs: 0,
    keepFiringForMs: 0,
    noData: 'ok',
    missingSeries: 'resolve',
    missingIsFalse: false,
    onError: 'keep',
  };

  /** Evaluates answers a minute apart, each with its own keys. */
  function states(answers: readonly (readonly [keys: readonly string[], row: readonly ResultValue[]])[]) {
    let state: RuleState = noState;
    for (const [i, [keys, row]] of answers.entries()) {
      const columns = [...keys.map((name) => ({ name, type: 'string' as const })), { name: 'n', type: 'int' as const }];
      const shape = shapeOf(columns, keys);
      if (typeof shape === 'string') throw new Error(shape);
      const rows = rowsOf(shape, columns, [row], {});
      if ('problem' in rows) throw new Error(rows.problem);
      const samples = samplesOf({ kind: 'threshold', op: '>', threshold: 5 }, rows, {});
      state = step(semantics, { labels: {} }, state, {
        at: i * minute,
        outcome: 'answered',
        samples,
        delayed: false,
      }).state;
    }
    return new Map([...state.instances].map(([identity, one]) => [identity, one.state]));
  }

  it('begins new instances, and those of the old columns resolve as missing', () => {
    const before = [['service'], ['cart', 9]] as const;
    const after = [
      ['service', 'route'],
      ['cart', '/pay', 9],
    ] as const;
    const old = identityOf({ service: 'cart' });
    const now = identityOf({ service: 'cart', route: '/pay' });
    expect(states([before, after])).toEqual(
      new Map([
        [old, 'firing'],
        [now, 'firing'],
      ]),
    );
    expect(states([before, after, after])).toEqual(
      new Map([
        [old, 'resolved'],
        [now, 'firing'],
      ]),
    );
  });

  it('keeps its instances where only the order or the name of the value changes', () => {
    const labels = { service: 'cart', route: '/pay' };
    const found = states([
      [
        ['service', 'route'],
        ['cart', '/pay', 9],
      ],
      [
        ['route', 'service'],
        ['/pay', 'cart', 9],
      ],
    ]);
    expect(found).toEqual(new Map([[identityOf(labels), 'firing']]));
  });
});
