import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { movedFile, readMoved, refuseMovedStores, writeMoved } from './moved.ts';

describe('a data directory whose stores were moved away', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'fanion-moved-'));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  const moved = { id: 'a', at: '2026-11-28T12:00:00.000Z', stores: ['telemetry' as const] };

  it('rejects a start of a moved store, and names its variable and the way back', () => {
    writeMoved(dir, moved);
    expect(() => refuseMovedStores(dir, ['control', 'telemetry'])).toThrow(
      /was moved at 2026-11-28T12:00:00.000Z: set CLICKHOUSE_URL\. .* delete .*moved\.json; .* fanion move --to-embedded/,
    );
    expect(readMoved(dir)).toEqual(moved);
  });

  it('allows a start of a store that was not moved, and of all stores without the file', () => {
    refuseMovedStores(dir, ['control', 'telemetry']);
    writeMoved(dir, moved);
    refuseMovedStores(dir, ['control']);
    refuseMovedStores(dir, []);
  });

  it('rejects a damaged file rather than starting on stores that may be elsewhere', () => {
    writeFileSync(movedFile(dir), '{"id":');
    expect(() => refuseMovedStores(dir, ['control'])).toThrow('is damaged');
  });
});
