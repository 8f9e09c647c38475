import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';

/** Argon2id by OWASP's Password Storage Cheat Sheet: 19 MiB, two passes, one lane. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Normalizes letters that keyboards compose in different ways (NIST SP 800-63B, 5.1.1.2). */
function normal(password: string): string {
  return password.normalize('NFKC');
}

export function hashPassword(password: string): Promise<string> {
  return hash(normal(password), parameters);
}

/** A random password to compare with where there is no account, so that the answer takes as long. */
const nobodys = hash(randomBytes(32), parameters);

/** Whether the password is right. Without a stored hash always false, after the same work. */
export async function verifyPassword(stored: string | null | undefined, password: string): Promise<boolean> {
  const right = await verify(stored ?? (await nobodys), normal(password));
  return right && stored != null;
}
