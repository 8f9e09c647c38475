const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;

/** Bytes in decimal units (1 kB = 1000 B): 0 B, 512 B, 1.5 kB, 34 MB. */
export function formatBytes(bytes: number | string | null | undefined): string {
  if (bytes === null || bytes === undefined || bytes === '') return '–';
  const value = Number(bytes);
  if (!Number.isFinite(value)) return '–';
  if (value < 0) return `−${formatBytes(-value)}`;
  let scaled = value;
  let unit = 0;
  while (scaled >= 999.5 && unit < UNITS.length - 1) {
    scaled /= 1000;
    unit += 1;
  }
  const decimals = unit === 0 || scaled >= 100 ? 0 : 1;
  return `${Number(scaled.toFixed(decimals))} ${UNITS[unit]}`;
}
