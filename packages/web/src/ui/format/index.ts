export { formatBytes } from './bytes.ts';
export { formatDuration, formatMilliseconds } from './duration.ts';
export { countOf, formatExact, formatNumber, formatPercent, formatRate, rateFormat } from './number.ts';
export { formatAgo, formatTimestamp, formatUtc, toDate } from './time.ts';
export { unitText } from './unit.ts';
