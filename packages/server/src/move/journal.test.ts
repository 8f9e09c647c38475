import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createJournal, journalId, openJournal } from './journal.ts';

describe('the journal of a move', () => {
  let dir: string;
  let file: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'fanion-journal-'));
    file = join(dir, 'move.jsonl');
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  it('remembers planned blocks with their numbers until they are done', () => {
    const journal = createJournal(file, 'first');
    const [one, two] = journal.plan('spans', 'today', [{ parts: ['a'] }, { parts: ['b'], from: 0, to: 5 }]);
    if (one !== undefined) journal.done('spans', 'today', one);
    const reopened = openJournal(file, 'first');
    expect(journalId(file)).toBe('first');
    expect(reopened.partition('spans', 'today')?.unfinished).toEqual([two]);
    expect([...(reopened.partition('spans', 'today')?.parts ?? [])]).toEqual(['a', 'b']);
  });

  it('never gives a number twice, not even after a reset', () => {
    const journal = createJournal(file, 'first');
    const numbers = journal.plan('spans', 'today', [{ parts: ['a'] }, { parts: ['b'] }]).map(({ number }) => number);
    journal.reset('spans', 'today');
    const again = openJournal(file, 'first');
    expect(again.partitions()).toEqual([]);
    expect(numbers).not.toContain(again.plan('spans', 'today', [{ parts: ['a'] }])[0]?.number);
  });

  it('ignores half a line, which a kill has left at the end', () => {
    createJournal(file, 'first').plan('spans', 'today', [{ parts: ['a'] }]);
    appendFileSync(file, '{"plan":{"tab');
    const reopened = openJournal(file, 'first');
    expect(reopened.partitions()).toHaveLength(1);
    reopened.reset('spans', 'today');
    expect(openJournal(file, 'first').partitions()).toEqual([]);
  });
});
