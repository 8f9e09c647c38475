import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BlockLimits } from '../block.ts';
import { BufferPool } from '../buffer-pool.ts';
import { PlainColumn } from './column.ts';
import { DictionaryColumn } from './dictionary.ts';
import { ArrayColumn, MapColumn } from './nested.ts';
import { TableColumns, type TableForm } from './table.ts';

const create = () => ({
  origin: new DictionaryColumn(),
  labels: new MapColumn(new PlainColumn('String', 1)),
  number: new PlainColumn('UInt32', 4),
  name: new DictionaryColumn(),
  pairs: new MapColumn(new PlainColumn('String', 1)),
  list: new ArrayColumn(new DictionaryColumn()),
});
type Example = ReturnType<typeof create>;
interface Origin {
  name: string;
}
const form: TableForm<Example, Origin> = {
  table: 't',
  create,
  share(columns, row, { name }) {
    const bytes = Buffer.from(name);
    columns.origin.at(row, bytes, 0, bytes.length);
    columns.labels.open(row);
    for (const _ of name) columns.labels.pair(bytes, 0, 1).text(name);
  },
  sharedColumns: ({ origin, labels }) => [origin, labels],
};

interface Row {
  partition: number;
  origin: number;
  value: number;
}
const row: fc.Arbitrary<Row> = fc.record({ partition: fc.nat(3), origin: fc.nat(2), value: fc.nat(5) });
const limits: BlockLimits = { rows: 5, bytes: 1e6, partitions: 2 };
const whole: BlockLimits = { rows: 1e6, bytes: 1e6, partitions: 100 };

function write(table: TableColumns<Example, Origin>, rows: readonly Row[]): void {
  const origins = ['', 'a', 'bc'].map((name) => ({ name }));
  for (const { partition, origin, value } of rows) {
    const at = table.begin(partition, origins[origin] as Origin);
    const { columns } = table;
    // A value of 0 is a default, which is always left out.
    if (value === 0) continue;
    const text = Buffer.from(`v${value}`);
    columns.number.at(at).uint32(value);
    columns.name.at(at, text, 0, text.length);
    columns.pairs.open(at);
    for (let i = 0; i < value; i++) columns.pairs.pair(text, 0, text.length).text(`x${i}`);
    const first = columns.list.open(at, value);
    columns.list.elements.at(first + value - 1, text, 0, text.length);
  }
}

function blocksOf(rows: readonly Row[], given = limits, pool = new BufferPool()) {
  const table = new TableColumns(form, given, pool);
  write(table, rows);
  table.finish();
  return table.take();
}

describe('blocks of columns', () => {
  it('are the same for the same rows, also in reused memory', () => {
    const pool = new BufferPool();
    fc.assert(
      fc.property(fc.array(row, { maxLength: 30 }), (rows) => {
        const blocks = blocksOf(rows);
        expect(blocksOf(rows, limits, pool)).toEqual(blocks);
        expect(blocks.map(({ number }) => number)).toEqual(blocks.map((_, i) => i));
        expect(blocks.reduce((sum, block) => sum + block.rows, 0)).toBe(rows.length);
      }),
    );
  });

  it('are the same if they are taken while later rows are written', () => {
    const pool = new BufferPool();
    fc.assert(
      fc.property(
        fc.array(row, { maxLength: 40 }),
        fc.array(fc.nat(9), { minLength: 1, maxLength: 8 }),
        (rows, steps) => {
          const table = new TableColumns(form, limits, pool);
          const taken = [];
          for (let from = 0, step = 0; from < rows.length; step++) {
            const to = from + 1 + (steps[step % steps.length] ?? 0);
            table.mark();
            write(table, rows.slice(from, to));
            taken.push(...table.take());
            from = to;
          }
          table.finish();
          expect([...taken, ...table.take()]).toEqual(blocksOf(rows));
        },
      ),
    );
  });

  it('do not keep the memory of a taken block beside that of the next one', () => {
    const pool = new BufferPool();
    const table = new TableColumns(form, { ...whole, rows: 2 }, pool);
    const long = 1 << 20;
    for (const text of ['x'.repeat(long), '', 'x', '']) {
      const at = table.begin(0, { name: '' });
      table.columns.pairs.open(at);
      table.columns.pairs.pair(Buffer.from('key'), 0, 3).text(text);
    }
    table.begin(0, { name: '' });
    expect(table.take().map(({ rows }) => rows)).toEqual([2, 2]);
    const capacity = ({ pairs }: Example) => pairs.pair(Buffer.from('key'), 0, 3).bytes.length;
    expect(capacity(table.columns)).toBeGreaterThan(long);
    const spare = [pool.takeColumns('t', create), pool.takeColumns('t', create)];
    expect(spare.map(capacity).filter((bytes) => bytes > long)).toEqual([]);
  });

  it('contain the rows between two cuts, and nothing else', () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 30 }), (rows) => {
        let from = 0;
        for (const block of blocksOf(rows)) {
          const [alone] = blocksOf(rows.slice(from, from + block.rows), whole);
          expect(block.body).toEqual(alone?.body);
          from += block.rows;
        }
      }),
    );
  });

  it('are made in buffers of about their size', () => {
    const table = new TableColumns(form, whole, new BufferPool());
    const text = 'x'.repeat(700);
    for (let i = 0; i < 1_600; i++) table.columns.labels.open(table.begin(0, { name: '' }));
    const { columns } = table;
    for (let i = 0; i < 1_600; i++) columns.pairs.pair(Buffer.from('key'), 0, 3).text(text);
    table.finish();
    const [block] = table.take();
    expect(block?.body.length).toBeGreaterThan(1.1 * 1024 ** 2);
    expect(block?.body.buffer.byteLength).toBeLessThan(1.3 * 1024 ** 2);
  });

  it('contain no row that was rolled back', () => {
    fc.assert(
      fc.property(fc.array(row), fc.array(row, { maxLength: 12 }), fc.array(row), (kept, undone, later) => {
        const table = new TableColumns(form, limits, new BufferPool());
        // Names of rolled-back rows stay in the dictionary, so all names are added at the beginning.
        const names = [1, 2, 3, 4, 5].flatMap((value) => [0, 1, 2].map((origin) => ({ partition: 0, origin, value })));
        write(table, [...names, ...kept]);
        table.mark();
        write(table, undone);
        table.rollback();
        write(table, later);
        table.finish();
        const counts = (blocks: readonly { rows: number; number: number }[]) =>
          blocks.map(({ rows, number }) => [number, rows]);
        expect(counts(table.take())).toEqual(counts(blocksOf([...names, ...kept, ...later])));
      }),
    );
  });

  it('contain no value that was rolled back', () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 20 }), fc.array(row), fc.array(row), (kept, undone, later) => {
        const names = [1, 2, 3, 4, 5].flatMap((value) => [0, 1, 2].map((origin) => ({ partition: 0, origin, value })));
        const table = new TableColumns(form, whole, new BufferPool());
        write(table, [...names, ...kept]);
        table.mark();
        write(table, undone);
        table.rollback();
        write(table, later);
        table.finish();
        expect(table.take()).toEqual(blocksOf([...names, ...kept, ...later], whole));
      }),
    );
  });
});
