import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEncryption } from './encryption.ts';

const first = Buffer.from('the first secret key of a test server');
const second = Buffer.from('the second secret key of a test server');

describe('encryption', () => {
  it('returns what was encrypted, for its owner only', () => {
    const { encrypt, decrypt } = createEncryption(first, undefined);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (text, owner) => {
        const stored = encrypt(text, owner);
        expect(decrypt(stored, owner)).toBe(text);
        expect(() => decrypt(stored, `${owner}!`)).toThrow('belongs to something else');
      }),
      { numRuns: 50 },
    );
  });

  it('gives the same text another form each time', () => {
    const { encrypt } = createEncryption(first, undefined);
    expect(encrypt('secret', 'a')).not.toBe(encrypt('secret', 'a'));
    expect(encrypt('secret', 'a')).not.toContain('secret');
  });

  it('detects a changed text', () => {
    const { encrypt, decrypt } = createEncryption(first, undefined);
    const stored = encrypt('secret', 'a');
    const [form, id, sealed = ''] = stored.split('.');
    for (let at = 0; at < sealed.length - 1; at++) {
      const other = sealed[at] === 'A' ? 'B' : 'A';
      const changed = sealed.slice(0, at) + other + sealed.slice(at + 1);
      expect(() => decrypt(`${form}.${id}.${changed}`, 'a')).toThrow('was changed');
    }
    for (const broken of ['', '1', `${form}.${id}.`, `${form}.${id}.AAAA`, 'secret'])
      expect(() => decrypt(broken, 'a')).toThrow();
  });

  it('reads what the previous key encrypted, and encrypts with the current one', () => {
    const old = createEncryption(first, undefined);
    const both = createEncryption(second, first);
    const stored = old.encrypt('secret', 'a');
    expect([both.decrypt(stored, 'a'), both.isCurrent(stored)]).toEqual(['secret', false]);
    const again = both.encrypt('secret', 'a');
    expect(both.isCurrent(again)).toBe(true);
    expect(createEncryption(second, undefined).decrypt(again, 'a')).toBe('secret');
    expect(() => old.decrypt(again, 'a')).toThrow(/FANION_SECRET_KEY_PREVIOUS/);
  });
});
