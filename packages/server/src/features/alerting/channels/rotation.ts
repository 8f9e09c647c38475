import type { Encryption } from '../../../platform/encryption.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { decryptSecrets, encryptSecrets } from './secrets.ts';
import { listChannelsWithSecrets, replaceSecrets } from './store.ts';

/**
 * Encrypts the secrets of all channels with the current key; returns how many changed. Servers may run meanwhile: what
 * somebody changes at the same moment is encrypted with the current key already.
 */
export async function encryptAgain(db: Database, encryption: Encryption): Promise<number> {
  let changed = 0;
  for (const channel of await listChannelsWithSecrets(db)) {
    if (channel.secrets === null || encryption.isCurrent(channel.secrets)) continue;
    const secrets = encryptSecrets(encryption, channel.id, decryptSecrets(encryption, channel));
    if (await replaceSecrets(db, channel.id, { from: channel.secrets, to: secrets })) changed++;
  }
  return changed;
}
