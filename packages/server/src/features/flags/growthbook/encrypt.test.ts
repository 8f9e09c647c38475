import { GrowthBook } from '@growthbook/growthbook';
import { expect, it } from 'vitest';
import { encrypted } from './encrypt.ts';

it("is decrypted by GrowthBook's SDK, text beyond ASCII included", async () => {
  const key = Buffer.alloc(16, 7);
  const features = { größe: { defaultValue: '😀'.repeat(100) } };
  const text = encrypted(JSON.stringify(features), key, Buffer.alloc(16, 9));
  expect(text).toMatch(/^CQkJCQkJCQkJCQkJCQkJCQ==\./);
  const sdk = new GrowthBook({ decryptionKey: key.toString('base64') });
  await sdk.setPayload({ features: {}, encryptedFeatures: text });
  expect(sdk.getFeatures()).toEqual(features);
});
