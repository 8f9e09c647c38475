import { contextLimits } from '@fanion/contract';
import { status } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { requireSize } from './resolve-rules.ts';

describe('the size of a request', () => {
  it.each(['client', 'server'] as const)('is limited with a %s key', (keyKind) => {
    const { bytes } = contextLimits[keyKind];
    expect(() => requireSize(new Uint8Array(bytes), { keyKind })).not.toThrow();
    expect(() => requireSize(new Uint8Array(bytes + 1), { keyKind })).toThrow(
      expect.objectContaining({ code: status.RESOURCE_EXHAUSTED, message: expect.stringContaining(String(bytes)) }),
    );
  });
});
