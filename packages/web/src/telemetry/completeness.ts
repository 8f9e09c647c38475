import { countOf, formatPercent } from '../ui/format/index.ts';

/** What an answer lacks, for its reader; partial buckets are drawn, and rows on their way come by themselves. */
export function completenessTexts(completeness: unknown): string[] {
  return [...missingAnchorsText(completeness), ...sampledText(completeness)];
}

function missingAnchorsText(completeness: unknown): string[] {
  const missing = fieldOf(completeness, 'missing_anchors');
  if (typeof missing !== 'number' || missing === 0) return [];
  return [
    `${countOf(missing, 'series', 'series')} had no earlier point to count from, so what they grew before their first point in the window is missing.`,
  ];
}

function sampledText(completeness: unknown): string[] {
  const share = fieldOf(completeness, 'sampled_share');
  if (typeof share !== 'number' || share >= 1) return [];
  return [`Estimated from ${formatPercent(share)} of the data: sampling left out the rest.`];
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined;
}
