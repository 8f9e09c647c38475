/** What the payloads of an SDK key are encrypted with, sealed. NULL: they are not encrypted. */
export const sdkPayloadKeys0039 = {
  id: 39,
  name: 'sdk-payload-keys',
  statements: ['ALTER TABLE sdk_keys ADD COLUMN payload_key text'],
} as const;
