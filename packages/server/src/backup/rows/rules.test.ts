import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StoredPart } from '../../store-copy/rules.ts';
import { addHashes, migrationsOf, type ReadBlock, repairReads, skippedTo } from './rules.ts';

const part = (firstBlock: number, lastBlock = firstBlock, level = 0): StoredPart => ({
  ...{ table: 'spans', partition: 'day', name: `day_${firstBlock}_${lastBlock}_${level}` },
  ...{ rows: 1, bytes: 1, firstBlock, lastBlock },
});
const read = (path: string, ...parts: StoredPart[]): ReadBlock => ({ path, parts });

describe('repairReads', () => {
  it('reads what a part was merged into, and drops what was read of the same', () => {
    const merged = part(1, 3, 1);
    const { kept, dropped, wanted } = repairReads(
      [read('a', part(1)), read('b', part(2)), read('d', part(4))],
      [part(3)],
      [merged, part(4), part(5)],
    );
    expect([kept.map(({ path }) => path), dropped.map(({ path }) => path)]).toEqual([['d'], ['a', 'b']]);
    expect(wanted).toEqual([merged]);
  });

  it('reads the other parts of a dropped file again', () => {
    const { dropped, wanted } = repairReads([read('a', part(2), part(4))], [part(3)], [part(2, 3, 1), part(4)]);
    expect([dropped.length, wanted]).toEqual([1, [part(2, 3, 1), part(4)]]);
  });

  it('drops the blocks of a large part that is gone, and has nothing to read if its rows were removed', () => {
    const repaired = repairReads([read('a', part(1)), read('b', part(2))], [part(1)], [part(2)]);
    expect(repaired).toEqual({ kept: [read('b', part(2))], dropped: [read('a', part(1))], wanted: [] });
  });

  /** Inserts and merges of a partition, between reads of random parts of it. */
  it('has each row of the first listing once, whatever is merged meanwhile', () => {
    const merges = fc.array(fc.tuple(fc.nat(20), fc.integer({ min: 2, max: 4 })), { maxLength: 8 });
    const rounds = fc.array(fc.record({ merges, inserts: fc.nat(3) }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10 }),
        rounds,
        fc.integer({ min: 1, max: 4 }),
        (count, changes, together) => {
          let active = Array.from({ length: count }, (_, n) => part(n + 1));
          let next = count + 1;
          const change = ({ merges: merged, inserts }: (typeof changes)[number]) => {
            for (const [at, length] of merged) {
              const [first, ...more] = active.slice(at, at + length);
              const last = more.at(-1);
              if (first === undefined || last === undefined) continue;
              active.splice(at, length, part(first.firstBlock, last.lastBlock, next));
            }
            for (let n = 0; n < inserts; n++) active.push(part(next++));
            active = [...active];
          };
          let reads: ReadBlock[] = [];
          let wanted = [...active];
          let file = 0;
          for (let round = 0; wanted.length > 0; round++) {
            const lost: StoredPart[] = [];
            for (let at = 0; at < wanted.length; at += together) {
              const parts = wanted.slice(at, at + together);
              const isThere = parts.every(({ name }) => active.some((one) => one.name === name));
              if (isThere) reads.push(read(String(file++), ...parts));
              else lost.push(...parts);
              const step = changes[round];
              if (step !== undefined && at === 0) change(step);
            }
            const repaired = repairReads(reads, lost, active);
            reads = repaired.kept;
            wanted = repaired.wanted;
          }
          const blocks = reads
            .flatMap(({ parts }) => parts)
            .flatMap(({ firstBlock, lastBlock }) =>
              Array.from({ length: lastBlock - firstBlock + 1 }, (_, n) => firstBlock + n),
            );
          expect(new Set(blocks).size).toBe(blocks.length);
          for (let block = 1; block <= count; block++) expect(blocks).toContain(block);
        },
      ),
    );
  });
});

describe('addHashes', () => {
  it('adds as the store does, without an order', () => {
    expect(addHashes('18446744073709551615', '2')).toBe('1');
    const hash = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String);
    fc.assert(
      fc.property(hash, hash, hash, (a, b, c) => {
        expect(addHashes(addHashes(a, b), c)).toBe(addHashes(a, addHashes(c, b)));
      }),
    );
  });
});

describe('skippedTo', () => {
  it.each([
    ['workspaces_number_seq', '7', '1007'],
    ['job_epochs', '9007199254740993', '9007199354740993'],
  ])('leaves out numbers of %s that newer telemetry may have', (name, last, skipped) => {
    expect(skippedTo({ name, last })).toBe(skipped);
  });
});

describe('migrationsOf', () => {
  it('takes those of the backup in their order, and rejects unknown ones', () => {
    const known = [{ id: 1 }, { id: 2 }, { id: 5 }];
    expect(migrationsOf(known, [5, 1])).toEqual([{ id: 1 }, { id: 5 }]);
    expect(() => migrationsOf(known, [1, 6])).toThrow('the schema migration 6, which this release does not know');
  });
});
