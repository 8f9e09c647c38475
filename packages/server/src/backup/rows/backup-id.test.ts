import { describe, expect, it } from 'vitest';
import { idOfBackup } from './backup-id.ts';

describe('idOfBackup', () => {
  const file = { path: 'a', sha256: 'f'.repeat(64), bytes: 1, rows: 1 };
  const taken = '2026-11-28T15:04:05.123Z';

  it('begins with the name of the folder that the backup was written to', () => {
    expect(idOfBackup({ taken, files: [file] })).toMatch(/^20261128T150405123Z-[0-9a-f]{16}$/);
  });

  it('differs for other files or another time', () => {
    const ids = [
      idOfBackup({ taken, files: [file] }),
      idOfBackup({ taken, files: [{ ...file, sha256: 'e'.repeat(64) }] }),
      idOfBackup({ taken: '2026-11-28T15:04:05.124Z', files: [file] }),
    ];
    expect(new Set(ids).size).toBe(3);
  });
});
