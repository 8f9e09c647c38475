import { describe, expect, it } from 'vitest';
import { isId, newId } from './ids.ts';

describe('ids', () => {
  it('are UUIDv7 with their time', () => {
    const id = newId(Date.parse('2026-11-20T10:00:00Z'));
    expect(isId(id)).toBe(true);
    expect(id[14]).toBe('7');
    expect('89ab').toContain(id[19]);
    expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(Date.parse('2026-11-20T10:00:00Z'));
  });
  it('created within one millisecond are in order of creation', () => {
    const ids = Array.from({ length: 30_000 }, () => newId(1_700_000_000_000));
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });
  it('are not recognized in other texts', () => {
    for (const text of ['', 'production', newId().toUpperCase(), `${newId()} `]) expect(isId(text)).toBe(false);
  });
});
