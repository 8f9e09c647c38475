import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CopiedTable } from '../manifest.ts';
import { notCompared, refuseDifferent, refuseOtherTables } from './restore-rules.ts';

const table = (more: Partial<CopiedTable> = {}): CopiedTable => ({
  ...{ name: 'exposures', columns: ['`day`'], rows: 3, hash: '5', states: '7', ...more },
});

describe('refuseDifferent', () => {
  it.each([
    [
      'rows',
      { rows: '4', hash: '5', states: '7' },
      'has 4 rows after the restore, and the backup says 3, with the same',
    ],
    ['another hash', { rows: '3', hash: '6', states: '7' }, 'with another hash'],
    ['other states', { rows: '3', hash: '5', states: '8' }, 'with another hash'],
    ['no states', { rows: '3', hash: '5', states: undefined }, 'with another hash'],
  ])('rejects %s', (_, found, message) => {
    expect(() => refuseDifferent(table(), found)).toThrow(message);
  });

  it('accepts exactly what the backup says, and what it does not say', () => {
    const hash = fc.option(fc.constantFrom('1', '2'), { nil: null });
    const states = fc.option(fc.constantFrom('1', '2'), { nil: undefined });
    fc.assert(
      fc.property(
        hash,
        states,
        fc.constantFrom('1', '2'),
        fc.constantFrom('1', '2'),
        (said, saidStates, one, other) => {
          const isSame = (said ?? one) === one && (saidStates ?? other) === other;
          const compare = () =>
            refuseDifferent(table({ hash: said, states: saidStates }), { rows: '3', hash: one, states: other });
          if (isSame) compare();
          else expect(compare).toThrow('the restore is not complete');
        },
      ),
    );
  });
});

describe('notCompared', () => {
  it.each<[string, Partial<CopiedTable>, string[] | undefined, boolean]>([
    ['has all hashes', {}, ['a'], true],
    ['has no states', { states: '0' }, [], true],
    ['was written before states were compared, and has none', { states: undefined }, [], true],
    ['was written before states were compared', { states: undefined }, ['a'], false],
    ['has states that cannot be compared', { states: undefined }, undefined, false],
    ['was written before combined rows were compared', { hash: null }, [], false],
  ])('judges a table that %s', (_, copied, states, isCompared) => {
    const found = notCompared([table(copied)], [{ name: 'exposures', states }]);
    expect(found).toEqual(isCompared ? [] : ['exposures']);
  });
});

describe('refuseOtherTables', () => {
  const known = [{ name: 'exposures', columns: ['`day`'] }];
  it.each([
    ['a missing table', [], 'does not have the tables of its version'],
    ['an unknown table', [table({ name: 'x' })], 'such as x'],
    ['another column', [table({ columns: ['`y`'] })], 'such as exposures'],
    ['one table more', [table(), table()], 'does not have the tables of its version'],
  ])('rejects %s', (_, copied, message) => {
    expect(() => refuseOtherTables(copied, known)).toThrow(message);
  });

  it('accepts the same tables', () => {
    refuseOtherTables([table()], known);
  });
});
