/**
 * Whether any span of a range is sampled, without reading the weights: the smallest and largest of each eight granules. Without
 * sampling all are 1, so the index takes a few bytes. Parts that are older have none, and their weights are read.
 */
export const sampledSpans0032 = {
  id: 32,
  name: 'sampled-spans',
  statements: ['ALTER TABLE spans ADD INDEX IF NOT EXISTS by_weight weight TYPE minmax GRANULARITY 8'],
} as const;
