/**
 * Every read compares times, so they are what most counts read. Without the entropy coding of ZSTD, they are read in half of the time in about
 * as many bytes (`bench/notes/2026-11-30-growth.md`). Older parts stay as they are until a merge.
 */
export const times0035 = {
  id: 35,
  name: 'times',
  statements: ['spans', 'logs'].map((table) => `ALTER TABLE ${table} MODIFY COLUMN time CODEC(GCD, T64, LZ4)`),
} as const;
