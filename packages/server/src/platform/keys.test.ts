import { describe, expect, it } from 'vitest';
import { refuseIdAsKey, withFreeKey } from './keys.ts';

describe('keys', () => {
  it('must not look like an id', () => {
    expect(() => refuseIdAsKey('019346e2-8b7a-7c4e-9d3f-5a6b7c8d9e0f', 'key')).toThrow(
      expect.objectContaining({ error: 'INVALID_INPUT', details: [{ path: 'key', message: expect.any(String) }] }),
    );
    expect(() => refuseIdAsKey('checkout', 'key')).not.toThrow();
  });

  it('are numbered until one is free, and then get a random suffix', async () => {
    const taken = new Set(['shop', 'shop-2']);
    const insert = async (key: string) => (taken.has(key) ? undefined : key);
    expect(await withFreeKey('shop', () => 'x', insert)).toBe('shop-3');
    const onlyRandom = async (key: string) => (key === 'shop-4f2a' ? key : undefined);
    expect(await withFreeKey('shop', () => '4f2a', onlyRandom)).toBe('shop-4f2a');
    await expect(withFreeKey('shop', () => 'x', onlyRandom)).rejects.toThrow(/no key is free/);
  });
});
