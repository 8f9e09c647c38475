import { expect, it } from 'vitest';
import { verdictLabels } from './verdicts.ts';

type Release = NonNullable<Parameters<typeof verdictLabels>[0]>;
const at = '2026-11-24T12:00:00Z';
const looked = (...verdicts: ('harm' | 'no_harm' | 'not_sure')[]): Release => ({
  state: 'monitoring',
  ended_at: null,
  last_look: { guards: verdicts.map((verdict, i) => ({ name: `guard ${i}`, verdict })) },
});
const shown = (release: Release | null, hours = 0) =>
  verdictLabels(release, Date.parse(at) + hours * 3_600_000).map(({ label, tone }) => `${label} ${tone}`);

it('shows no green beside a measured harm', () => {
  expect(shown(looked('no_harm', 'not_sure'))).toEqual(['no harm ok', 'not sure yet off']);
  expect(shown(looked('no_harm', 'harm'))).toEqual(['no harm off', 'harm firing']);
});

it('shows nothing before the first look, nor a day after the end', () => {
  expect(shown(null)).toEqual([]);
  expect(shown({ state: 'armed', ended_at: null, last_look: null })).toEqual([]);
  const ended = { ...looked('harm'), state: 'rolled_back' as const, ended_at: at };
  expect(shown(ended, 1)).toEqual(['harm firing']);
  expect(shown(ended, 25)).toEqual([]);
});
