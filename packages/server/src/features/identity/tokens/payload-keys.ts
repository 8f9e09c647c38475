import { randomBytes } from 'node:crypto';
import type { Encryption } from '../../../platform/encryption.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { listPayloadKeys, replacePayloadKey } from './store.ts';

const ownerOf = (id: string) => `sdk_keys:${id}`;

/** 128 bits in Base64, as GrowthBook's SDKs take them: the Python SDK rejects longer ones. */
const keyBytes = 16;

/** A new key that payloads for one SDK key are encrypted with, and its stored form. */
export function mintPayloadKey(encryption: Encryption, id: string): { readonly key: string; readonly sealed: string } {
  const key = randomBytes(keyBytes).toString('base64');
  return { key, sealed: encryption.encrypt(key, ownerOf(id)) };
}

/** @throws EncryptionError when the secret key of the server has changed */
export function openPayloadKey(encryption: Encryption, id: string, sealed: string): Buffer {
  return Buffer.from(encryption.decrypt(sealed, ownerOf(id)), 'base64');
}

/** Encrypts all payload keys with the current secret key; returns how many changed. */
export async function sealPayloadKeysAgain(db: Database, encryption: Encryption): Promise<number> {
  let changed = 0;
  for (const { id, payload_key: from } of await listPayloadKeys(db)) {
    if (from === null || encryption.isCurrent(from)) continue;
    const to = encryption.encrypt(encryption.decrypt(from, ownerOf(id)), ownerOf(id));
    if (await replacePayloadKey(db, id, { from, to })) changed++;
  }
  return changed;
}
