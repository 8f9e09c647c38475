import { TOTAL_WEIGHT } from '../ruleset.ts';
import { checkBucketing, checkEnd, stepsOf } from './bucketing.ts';
import type { ShareDraft } from './draft.ts';
import type { Issues } from './issue.ts';
import { MAX_SHARE_RANGES, MAX_SHARES } from './limits.ts';

type Path = readonly (string | number)[];

export function checkShares(issues: Issues, path: Path, shares: readonly ShareDraft[] = []): void {
  if (issues.tooMany(path, shares.length, MAX_SHARES)) return;
  for (const [i, share] of shares.entries()) checkShare(issues, [...path, i], share);
}

function checkShare(issues: Issues, path: Path, share: ShareDraft): void {
  if (typeof share.seed !== 'string') issues.add([...path, 'seed'], 'a share needs a seed');
  checkBucketing(issues, path, share);
  const ranges = [...path, 'ranges'];
  if (issues.tooMany(ranges, share.ranges.length, MAX_SHARE_RANGES)) return;
  const steps = stepsOf(share);
  for (const [i, [from, to]] of share.ranges.entries()) {
    const inLine = Number.isInteger(from) && Number.isInteger(to) && 0 <= from && from <= to && to <= TOTAL_WEIGHT;
    if (!inLine) issues.add([...ranges, i], `must be two whole numbers from 0 to ${TOTAL_WEIGHT}, the smaller first`);
    checkEnd(issues, [...ranges, i], from, steps);
    checkEnd(issues, [...ranges, i], to, steps);
  }
}
