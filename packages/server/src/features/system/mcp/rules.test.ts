import { describe, expect, it } from 'vitest';
import { bound } from './rules.ts';

describe('bounds of an answer', () => {
  it('leaves a short answer unchanged', () => {
    expect(bound({ rows: [[1], [2]] }, { rows: 2, bytes: 100 })).toEqual({ text: '{"rows":[[1],[2]]}', cut: false });
  });
  it('cuts rows beyond the limit', () => {
    expect(bound([1, 2, 3], { rows: 2, bytes: 100 })).toEqual({ text: '[1,2]', cut: true });
  });
  it('cuts rows until the text fits', () => {
    const { text, cut } = bound(
      Array.from({ length: 100 }, () => 'ü'.repeat(50)),
      { rows: 100, bytes: 1_000 },
    );
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1_000);
    expect([JSON.parse(text).length > 0, cut]).toEqual([true, true]);
  });
  it('cuts a single long text, and stays valid JSON', () => {
    const { text, cut } = bound({ sql: '"ü\\'.repeat(5_000) }, { rows: 10, bytes: 1_000 });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1_000);
    expect([typeof JSON.parse(text), cut]).toEqual(['string', true]);
  });
});
