import { expect, it } from 'vitest';
import { completenessTexts } from './completeness.ts';

it.each([
  [undefined, []],
  [{ missing_anchors: 0 }, []],
  [{ missing_anchors: null }, []],
  [{ missing_anchors: 2 }, [expect.stringMatching(/^2 series had no earlier point/)]],
])('of %j tells what an answer lacks', (completeness, expected) => {
  expect(completenessTexts(completeness)).toEqual(expected);
});
