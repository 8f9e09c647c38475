import { describe, expect, it } from 'vitest';
import type { Replay } from './queries.ts';
import { isUnlucky, powerText, replayAnswer } from './replay-words.ts';

const metric: Replay['metrics'][number] = {
  metric: 'bought',
  name: 'Purchase',
  role: 'goal',
  error: null,
  mean: 0.3,
  difference: 0.01,
  p_value: 0.6,
  unlucky: false,
  power: 0.63,
  minimal_effect: 0.072,
};
const replay: Replay = {
  computed_at: '2026-11-20T12:00:00.000Z',
  from: '2026-11-06T12:00:00.000Z',
  to: '2026-11-20T12:00:00.000Z',
  ok: true,
  reason: null,
  tried: 1,
  units: { off: 200, on: 200 },
  days: 14,
  daily: 29,
  warnings: [],
  metrics: [metric],
};
const draft = { state: 'draft' as const, updated_at: '2026-11-20T11:00:00.000Z', layer: null, replay };
const bad: Replay = { ...replay, ok: false, reason: 'Arms that were served the same differ in Purchase already.' };
const edited = '2026-11-20T12:00:01.000Z';

describe('the answer of a replay', () => {
  const rows: [string, object, string, RegExp, boolean][] = [
    ['says that the salt passes', {}, 'ok', /^The salt passes: /, false],
    ['counts the salts that were tried', { replay: { ...replay, tried: 3 } }, 'ok', /after 3 salts were tried/, false],
    [
      'offers another salt for an unlucky one',
      { replay: bad },
      'error',
      /differ in Purchase already\. Try another salt/,
      true,
    ],
    ['says that no salt passed', { replay: { ...bad, tried: 20 } }, 'error', /None of 20 salts passed/, true],
    ['sends experiments of a layer to another slice', { replay: bad, layer: 'cart' }, 'error', /another slice/, true],
    [
      'asks for a new replay after an edit',
      { replay: bad, updated_at: edited },
      'warning',
      /Replay past units again/,
      false,
    ],
    [
      'says why nothing was replayed',
      { replay: { ...replay, reason: 'No unit saw the control.' } },
      'info',
      /^No unit saw/,
      false,
    ],
    [
      'warns when a goal was not compared',
      { replay: { ...replay, metrics: [{ ...metric, p_value: null }] } },
      'warning',
      /differ in Purchase/,
      false,
    ],
    ['does not block what has started', { replay: bad, state: 'running' }, 'error', /unlucky/, false],
  ];
  it.each(rows)('%s', (_, change, kind, text, unlucky) => {
    const answer = replayAnswer({ ...draft, ...change });
    expect(answer?.kind).toBe(kind);
    expect(answer?.text).toMatch(text);
    expect(isUnlucky({ ...draft, ...change })).toBe(unlucky);
  });
  it('is missing before the first replay', () => {
    expect(replayAnswer({ ...draft, replay: null })).toBeNull();
  });
});

it.each([
  [metric, '63% chance to detect a change of 5%; 80% for 7.2%'],
  [{ ...metric, minimal_effect: null }, '63% chance to detect a change of 5%'],
  [{ ...metric, power: null }, 'not known: too few past units'],
])('says what 14 days will show (%#)', (of, text) => {
  expect(powerText(of, 0.05)).toBe(text);
});
