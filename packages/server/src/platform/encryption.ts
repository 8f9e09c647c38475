import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Encrypts secrets that the server must be able to read again. */
export interface Encryption {
  /**
   * @param owner what the secret belongs to, such as `channels:<id>`. It is authenticated, so that a stored text cannot
   *   be moved to another row.
   */
  encrypt(text: string, owner: string): string;
  /** Throws `EncryptionError` for a text of an unknown key, one that was changed, or one that belongs to another owner. */
  decrypt(stored: string, owner: string): string;
  /** Whether a stored text is encrypted with the current key. */
  isCurrent(stored: string): boolean;
}

export class EncryptionError extends Error {
  override readonly name = 'EncryptionError';
}

interface Key {
  readonly id: string;
  readonly bytes: Buffer;
}

const version = '1';
const nonceBytes = 12;
const tagBytes = 16;

/**
 * AES-256-GCM with a key derived from `FANION_SECRET_KEY`. A stored text is `1.<key id>.<nonce, ciphertext and tag in
 * base64url>`: the key id says which key it needs, so that a key can be replaced while both are known.
 * @param previous the key before the current one; it only decrypts
 */
export function createEncryption(secretKey: Buffer, previous: Buffer | undefined): Encryption {
  const current = keyOf(secretKey);
  const keys = new Map([current, ...(previous === undefined ? [] : [keyOf(previous)])].map((key) => [key.id, key]));
  // A key that is both keeps its one entry.
  keys.set(current.id, current);
  return {
    encrypt(text, owner) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', current.bytes, nonce).setAAD(Buffer.from(owner));
      const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `${version}.${current.id}.${sealed.toString('base64url')}`;
    },
    decrypt(stored, owner) {
      const [form, id = '', text = ''] = stored.split('.');
      const key = keys.get(id);
      if (form !== version || key === undefined)
        throw new EncryptionError(
          `the key ${id} that encrypted this secret is unknown: set FANION_SECRET_KEY_PREVIOUS to it and run "fanion rotate-key", or enter the secret again`,
        );
      const sealed = Buffer.from(text, 'base64url');
      try {
        const decipher = createDecipheriv('aes-256-gcm', key.bytes, sealed.subarray(0, nonceBytes))
          .setAAD(Buffer.from(owner))
          .setAuthTag(sealed.subarray(-tagBytes));
        return decipher.update(sealed.subarray(nonceBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8');
      } catch (error) {
        throw new EncryptionError('the stored secret was changed, or belongs to something else', { cause: error });
      }
    },
    isCurrent: (stored) => stored.startsWith(`${version}.${current.id}.`),
  };
}

/** Names a secret key and says nothing about it. */
export function keyIdOf(secretKey: Buffer): string {
  return keyOf(secretKey).id;
}

/** The id is derived too, so that it says nothing about the key. */
function keyOf(secretKey: Buffer): Key {
  const derive = (purpose: string, length: number) => Buffer.from(hkdfSync('sha256', secretKey, '', purpose, length));
  return { id: derive('stored secrets: key id', 4).toString('hex'), bytes: derive('stored secrets', 32) };
}
