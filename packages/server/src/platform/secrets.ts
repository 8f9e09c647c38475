import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomLength = 43;
const checksumLength = 6;

export type SecretPrefix = 'svc_pat_' | 'svc_sdk_';

export interface MintedSecret {
  /** Shown once. */
  readonly secret: string;
  /** What is stored. A plain hash is enough for 256 random bits. */
  readonly hash: Buffer;
  /** Always shown, to identify the secret. */
  readonly prefix: string;
}

/**
 * `svc_pat_` + 43 base62 characters (256 bits) + 6 of a CRC-32 over them, the form that GitHub uses for its tokens:
 * secret scanners find it, and a mistyped one is rejected without a look-up.
 */
export function mintSecret(kind: SecretPrefix): MintedSecret {
  const body = randomBase62(randomLength);
  const secret = kind + body + checksum(body);
  return { secret, hash: hashSecret(secret), prefix: secret.slice(0, kind.length + 4) };
}

export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Whether a text has the form and the checksum of a secret of this kind. */
export function isWellFormedSecret(text: string, kind: SecretPrefix): boolean {
  if (!text.startsWith(kind) || text.length !== kind.length + randomLength + checksumLength) return false;
  const body = text.slice(kind.length, -checksumLength);
  return checksum(body) === text.slice(-checksumLength);
}

/** 256 random bits for cookies, links and OIDC state, and the hash to store. */
export function mintOpaque(): { secret: string; hash: Buffer } {
  const secret = randomBytes(32).toString('base64url');
  return { secret, hash: hashSecret(secret) };
}

function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let i = 0; i < checksumLength; i++) {
    text = alphabet.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    // 248 = 4 × 62: larger bytes would favor the first letters.
    for (const byte of randomBytes(length)) if (byte < 248 && text.length < length) text += alphabet.charAt(byte % 62);
  }
  return text;
}
