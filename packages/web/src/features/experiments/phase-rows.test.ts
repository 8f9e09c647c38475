import { expect, it } from 'vitest';
import { phaseRows } from './phase-rows.ts';
import type { Results } from './queries.ts';

type Measured = Results['health']['phases'][number];

const weights = (off: number, on: number) => [
  { variant: 'off', weight: off },
  { variant: 'on', weight: on },
];
const first = { from: '2026-11-01T00:00:00.000Z', to: '2026-11-08T00:00:00.000Z', variants: weights(50_000, 50_000) };
const second = { from: '2026-11-08T00:00:00.000Z', to: null, variants: weights(20_000, 80_000) };
const experiment = {
  phases: [
    { ...first, share: 50_000, audience: [], reason: 'start' },
    { ...second, share: 50_000, audience: [], reason: 'off 20 %, on 80 %' },
  ],
  control: 'off',
  bucket_by: null,
  // That of the last phase.
  audience: [],
  traffic: { share: 50_000, start: 0 },
};
const ratio = {
  ok: true,
  p_value: 0.42,
  chi_squared_p: 0.4,
  observed: { off: 1_190, on: 1_210 },
  expected: { off: 1_200, on: 1_200 },
  crossed: 0,
};
const measured = (sample_ratio: Measured['sample_ratio']): Measured => ({
  ...first,
  share: 50_000,
  reason: 'start',
  sample_ratio,
});

it('shows what each phase serves, and the units that it has', () => {
  expect(phaseRows(experiment, { phases: [measured(ratio)] })).toEqual([
    {
      number: 1,
      from: first.from,
      to: first.to,
      served: '50% of the units take part: 50% off, 50% on, measured; the other 50% get off',
      units: '1,190 off (1,200 expected), 1,210 on (1,200 expected)',
      split: { label: 'As intended', tone: 'ok' },
      title: 'sequential p-value 0.42',
    },
    expect.objectContaining({
      number: 2,
      to: null,
      served: expect.stringContaining('20% off, 80% on'),
      units: '–',
      split: { label: 'Not measured yet', tone: 'off' },
    }),
  ]);
});

it.each([
  [{ ...ratio, ok: false, p_value: 1e-9 }, 'Not as intended'],
  [{ ...ratio, p_value: null }, 'Too few units'],
  [{ ...ratio, p_value: null, observed: { off: 0, on: 0 } }, 'No units'],
])('says whether a phase was divided as intended (%#)', (of, label) => {
  expect(phaseRows(experiment, { phases: [measured(of)] })[0]?.split.label).toBe(label);
});

it('shows the phases of results that have none', () => {
  expect(phaseRows(experiment, {}).map(({ split }) => split.label)).toEqual(['Not measured yet', 'Not measured yet']);
});
