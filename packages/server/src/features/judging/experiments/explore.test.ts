import { beforeAll, describe, expect, it } from 'vitest';
import { useExperiments } from './testing/experiment-world.ts';

const kit = useExperiments();
const { experiments, running, codeOf, expose, arms } = kit;
let ada: typeof kit.ada;
beforeAll(() => {
  ada = kit.ada;
});

describe('results that nobody planned', () => {
  it('show parts of the units by an expression of their first evaluation', async () => {
    const { id, startedAt } = await running('parted');
    await expose('parted', startedAt, arms('parted', 50, { false: 0.2, true: 0.6 }));
    const one = `${experiments()}/${id}/results`;
    const { dimension, metrics } = (await ada.get(`${one}?refresh=true&dimension=${encodeURIComponent('version')}`))
      .data;
    expect(dimension).toMatchObject({
      expression: 'version',
      exploratory: true,
      values: [{ value: '1', is_other: false, units: 100 }],
    });
    expect(dimension.values[0].metrics[0].variants).toEqual(metrics[0].variants);
    expect((await ada.get(one)).data.dimension).toBeNull();
    const many = (await ada.get(`${one}?dimension=unit`)).data.dimension.values;
    expect(many).toHaveLength(8);
    expect(many.at(-1)).toMatchObject({ value: null, is_other: true, units: 93 });
    for (const text of ['version | limit 1', 'version) | limit 1 | extend x=(1', 'version), x=(1', 'nothing(1)', '('])
      expect(codeOf(await ada.get(`${one}?dimension=${encodeURIComponent(text)}`)), text).toEqual([422, 'SVC-5001']);
  });

  it('show the effect by days, of units that have had a whole day', async () => {
    const { id, startedAt } = await running('new-today');
    await expose('new-today', startedAt, arms('new-today', 10, { false: 0.2, true: 0.6 }));
    const one = `${experiments()}/${id}/results/novelty`;
    expect((await ada.get(one)).data).toMatchObject({ metric: 'bought', exploratory: true, days: [] });
    expect(codeOf(await ada.get(`${one}?metric=unknown`))).toEqual([422, 'SVC-7133']);
  });

  it('show other experiments that change the effect', async () => {
    const one = await running('meeting', { metrics: { goals: ['bought'] } });
    const other = await running('met');
    const at = Math.max(one.startedAt, other.startedAt);
    // The variant helps only units that have the other variant too.
    const cells = [
      { mine: 'false', theirs: 'false', bought: 0.2 },
      { mine: 'false', theirs: 'true', bought: 0.2 },
      { mine: 'true', theirs: 'false', bought: 0.2 },
      { mine: 'true', theirs: 'true', bought: 0.7 },
    ];
    const units = cells.flatMap(({ mine, theirs, bought }) =>
      Array.from({ length: 100 }, (_, i) => ({
        unit: `m-${mine}-${theirs}-${i}`,
        mine,
        theirs,
        bought: i < bought * 100,
      })),
    );
    await expose(
      'meeting',
      at,
      units.map(({ unit, mine, bought }) => ({ unit, variant: mine, bought })),
    );
    await expose(
      'met',
      at,
      units.map(({ unit, theirs }) => ({ unit, variant: theirs })),
    );
    const found = (await ada.get(`${experiments()}/${one.id}/results/interactions`)).data as {
      experiment: { key: string };
      effects: { other_variant: string; difference: number }[];
    }[];
    const pair = found.find(({ experiment }) => experiment.key === 'met');
    expect(pair).toMatchObject({ units: 400, significant: true, metric: { key: 'bought' } });
    expect(
      pair?.effects.map(({ other_variant, difference }) => [other_variant, Number(difference.toFixed(9))]),
    ).toEqual([
      ['false', 0],
      ['true', 0.5],
    ]);
    const unrelated = found.filter(({ experiment }) => experiment.key !== 'met');
    expect(unrelated.filter((row) => 'significant' in row && row.significant === true)).toEqual([]);
  });
});
