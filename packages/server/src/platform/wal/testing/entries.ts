import type { WalEntry } from '@fanion/telemetry';

/** An entry whose body derives from its number, so that damage can be detected. */
export function entryOf(id: number, overrides: Partial<WalEntry> = {}): WalEntry {
  return {
    signal: 'traces',
    encoding: 'otlp-protobuf',
    workspace: 1,
    project: 2,
    environment: 'production',
    retentionDays: 30,
    receivedAt: 1_700_000_000_000,
    items: 1,
    refused: new Uint32Array(),
    body: Buffer.from(`entry ${id} `.repeat(1 + (id % 50))),
    ...overrides,
  };
}
