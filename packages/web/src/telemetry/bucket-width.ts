const WIDTHS: readonly (readonly [number, string])[] = [
  [1000, '1s'],
  [2000, '2s'],
  [5000, '5s'],
  [10_000, '10s'],
  [15_000, '15s'],
  [30_000, '30s'],
  [60_000, '1m'],
  [120_000, '2m'],
  [300_000, '5m'],
  [600_000, '10m'],
  [900_000, '15m'],
  [1_800_000, '30m'],
  [3_600_000, '1h'],
  [7_200_000, '2h'],
  [10_800_000, '3h'],
  [21_600_000, '6h'],
  [43_200_000, '12h'],
  [86_400_000, '1d'],
];

/** The round bucket width, as OQL writes it, that cuts a window of so many milliseconds into about `buckets` pieces. */
export function bucketWidth(windowMs: number, buckets = 60): string {
  const ideal = windowMs / buckets;
  for (const [width, text] of WIDTHS) if (width >= ideal * 0.9) return text;
  return `${Math.max(1, Math.round(ideal / 86_400_000))}d`;
}
