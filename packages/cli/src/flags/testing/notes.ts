import { expect } from 'vitest';
import type { Note } from '../import/conversion.ts';

/** A report says these things and no others; of each, the beginning. */
export function expectNotes(notes: readonly Note[], beginnings: readonly string[]): void {
  const lines = notes.map(({ level, where, what }) => `${level} ${where}: ${what}`).sort();
  const cut = (line: string) => [...beginnings].find((beginning) => line.startsWith(beginning)) ?? line;
  expect(lines.map(cut).sort()).toEqual([...beginnings].sort());
}
