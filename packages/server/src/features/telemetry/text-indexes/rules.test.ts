import { describe, expect, it } from 'vitest';
import { duePartitions, partsWithIndexes } from './rules.ts';

const hour = 3_600_000;
const midnight = Date.UTC(2026, 10, 21);
const yesterday = { table: 'spans', id: '20261120-30', parts: ['20261120-30_1_5_1'] };

describe('partitions that are due', () => {
  it('are those of days that have been over for a while', () => {
    expect(duePartitions([yesterday], [], midnight + 3 * hour - 1)).toEqual([]);
    expect(duePartitions([yesterday], [], midnight + 3 * hour)).toEqual([yesterday]);
  });

  it('come with the newest day first', () => {
    const older = { ...yesterday, id: '20261031-7' };
    expect(duePartitions([older, yesterday], [], midnight + 9 * hour)).toEqual([yesterday, older]);
  });

  it('are done once, until there is a part that is not known', () => {
    const built = { ...yesterday, parts: ['20261120-30_1_5_1_6'], at: midnight + 3 * hour };
    const same = { ...yesterday, parts: built.parts };
    const late = { ...yesterday, parts: [...built.parts, '20261120-30_9_9_0'] };
    expect(duePartitions([same], [built], midnight + 99 * hour)).toEqual([]);
    expect(duePartitions([late], [built], built.at + 6 * hour - 1)).toEqual([]);
    expect(duePartitions([late], [built], built.at + 6 * hour)).toEqual([late]);
    expect(duePartitions([{ ...same, table: 'logs' }], [built], built.at)).toHaveLength(1);
  });

  it('are only those whose names tell a day', () => {
    expect(duePartitions([{ ...yesterday, id: 'all' }], [], midnight + 9 * hour)).toEqual([]);
  });
});

it('takes those parts for indexed that were there before, whatever mutation they are named by', () => {
  const before = ['20261120-30_1_5_1', '20261120-30_6_6_0_4'];
  expect(partsWithIndexes(before, ['20261120-30_1_5_1_9', '20261120-30_6_6_0_9', '20261120-30_10_10_0'])).toEqual([
    '20261120-30_1_5_1_9',
    '20261120-30_6_6_0_9',
  ]);
  expect(partsWithIndexes(before, ['20261120-30_1_6_2_9'])).toEqual([]);
});
