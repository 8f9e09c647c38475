import type { Encryption } from '../../../platform/encryption.ts';
import type { Fields } from './config-rules.ts';
import type { ChannelRow } from './store.ts';

/** What the secrets of a channel belong to, for their encryption. */
function ownerOf(id: string): string {
  return `channels:${id}`;
}

export function encryptSecrets(encryption: Encryption, id: string, secrets: Fields): string | null {
  return Object.keys(secrets).length === 0 ? null : encryption.encrypt(JSON.stringify(secrets), ownerOf(id));
}

/** Throws `EncryptionError` when the key is unknown. */
export function decryptSecrets(encryption: Encryption, { id, secrets }: Pick<ChannelRow, 'id' | 'secrets'>): Fields {
  return secrets === null ? {} : JSON.parse(encryption.decrypt(secrets, ownerOf(id)));
}

/** The configuration with its secrets. */
export function fullConfig(encryption: Encryption, channel: Pick<ChannelRow, 'id' | 'config' | 'secrets'>): Fields {
  return { ...channel.config, ...decryptSecrets(encryption, channel) };
}
