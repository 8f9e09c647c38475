import { expect, it } from 'vitest';
import { namedSeries, stacked } from './joined-rules.ts';

const column = (name: string, type = 'string') => ({ name, type });
const time = column('time', 'timestamp');
const value = column('value', 'float');

it('names series by labels as the panel says, and otherwise as PromQL writes them', () => {
  const first = { seriesName: 'in {{ device }}', columns: [time, column('device'), value], rows: [['t1', 'eth0', 1]] };
  const second = {
    seriesName: undefined,
    columns: [time, column('__name__'), column('job'), value],
    rows: [['t1', 'up', 'node', 1]],
  };
  expect(namedSeries([first, second])).toEqual({
    columns: [time, column('series'), value],
    rows: [
      ['t1', 'in eth0', 1],
      ['t1', 'up{job="node"}', 1],
    ],
  });
});

it('keeps series apart that have the same name', () => {
  const columns = [time, column('job'), value];
  const rows = [
    ['t1', 'a', 1],
    ['t2', 'a', 2],
    ['t1', 'b', 3],
  ];
  const part = { seriesName: 'load', columns, rows };
  const names = namedSeries([part, part]).rows.map(([, name]) => name);
  expect(names.slice(0, 3)).toEqual(['load', 'load', 'load {job="b"}']);
  expect(new Set(names.slice(3))).toEqual(new Set(['load {job="a"}', 'load {job="b"} {job="b"} (B)']));
});

it('lists the rows of several queries with the letter of each', () => {
  const first = { seriesName: undefined, columns: [column('job'), value], rows: [['a', 1]] };
  const second = { seriesName: undefined, columns: [column('host'), value], rows: [['h', 2]] };
  expect(stacked([first, second])).toEqual({
    columns: [column('job'), column('host'), column('query'), value],
    rows: [
      ['a', null, 'A', 1],
      [null, 'h', 'B', 2],
    ],
  });
});
