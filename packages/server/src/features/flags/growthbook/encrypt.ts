import { createCipheriv } from 'node:crypto';

export const ivBytes = 16;

/**
 * Text as GrowthBook's SDKs decrypt it: `<initialization vector>.<ciphertext>` in Base64, by AES-128 in CBC mode with PKCS #7
 * padding.
 *
 * @param iv random, and another one for each text
 */
export function encrypted(text: string, key: Buffer, iv: Buffer): string {
  const cipher = createCipheriv('aes-128-cbc', key, iv);
  const bytes = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return `${iv.toString('base64')}.${bytes.toString('base64')}`;
}
