import { expect, it } from 'vitest';
import { completenessTexts } from './completeness.ts';

it.each([
  [undefined, []],
  [{ missing_anchors: 0 }, []],
  [{ missing_anchors: null }, []],
  [{ sampled_share: 1 }, []],
  [{ sampled_share: null }, []],
  [{ sampled_share: 0.1 }, ['Estimated from 10% of the data: sampling left out the rest.']],
  [{ missing_anchors: 2 }, [expect.stringMatching(/^2 series had no earlier point/)]],
])('of %j tells what an answer lacks', (completeness, expected) => {
  expect(completenessTexts(completeness)).toEqual(expected);
});
