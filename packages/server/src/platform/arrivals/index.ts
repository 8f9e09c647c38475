export { Arrivals } from './arrivals.ts';
export { type QueryReads, queryReads } from './query-reads.ts';
export { automaticOffsetMs, settledToMs } from './rules.ts';
