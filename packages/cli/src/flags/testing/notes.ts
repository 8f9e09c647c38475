import { expect } from 'vitest';
import type { Note } from '../../files/report.ts';

/** Expects exactly these notes, each given by its beginning. */
export function expectNotes(notes: readonly Note[], beginnings: readonly string[]): void {
  const lines = notes.map(({ level, where, what }) => `${level} ${where}: ${what}`).sort();
  const cut = (line: string) => [...beginnings].find((beginning) => line.startsWith(beginning)) ?? line;
  expect(lines.map(cut).sort()).toEqual([...beginnings].sort());
}
