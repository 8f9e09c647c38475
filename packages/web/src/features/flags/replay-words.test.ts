import { describe, expect, it } from 'vitest';
import { replayedText, uncoveredTexts } from './replay-words.ts';

describe('the replay of the last hour', () => {
  const moves = [
    { from: 'false', to: 'true', units: 300 },
    { from: 'true', to: null, units: 12 },
  ];
  it.each([
    [
      { units: 0, replayed: 0, changed: 0, moves: [] },
      'No units are recorded for the last hour, so nothing can be replayed.',
    ],
    [
      { units: 954, replayed: 0, changed: 0, moves: [] },
      'Of 954 units evaluated in the last hour, none can be replayed.',
    ],
    [{ units: 954, replayed: 954, changed: 0, moves: [] }, 'Of 954 units evaluated in the last hour, none changes.'],
    [
      { units: 954, replayed: 900, changed: 0, moves: [] },
      'Of 954 units evaluated in the last hour, none is known to change.',
    ],
    [
      { units: 954, replayed: 954, changed: 312, moves },
      'Of 954 units evaluated in the last hour, 312 change: 300 from false to true, 12 from true to the code default.',
    ],
    [
      { units: 1, replayed: 1, changed: 1, moves: [{ from: 'a', to: 'b', units: 1 }] },
      'Of 1 unit evaluated in the last hour, 1 changes: 1 from a to b.',
    ],
  ])('%j', (replay, text) => expect(replayedText(replay)).toBe(text));

  it('says what it does not cover', () => {
    expect(uncoveredTexts({ uncertain: [], skipped: 0, without_unit: 0 })).toEqual([]);
    expect(
      uncoveredTexts({
        uncertain: [
          { reads: 'country', units: 100 },
          { reads: 'segment staff', units: 20 },
        ],
        skipped: 5,
        without_unit: 1,
      }),
    ).toEqual([
      '120 units cannot be replayed, since more than the unit decides about them: country (100), segment staff (20). Evaluations store no other attributes.',
      'Left out, beyond the limit of one replay: 5 earlier units.',
      'Recorded without a unit: 1 more evaluation.',
    ]);
  });
});
