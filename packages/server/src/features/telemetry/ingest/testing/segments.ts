import type { WalEntry } from '@fanion/telemetry';
import { encodeEntryHeader } from '../../../../platform/wal/entry.ts';
import { frameHeader } from '../../../../platform/wal/frame.ts';

/** One entry as it is in a segment file. */
export function encodeEntry({
  refused = [],
  ...entry
}: Pick<WalEntry, 'signal' | 'body' | 'items'> &
  Partial<Pick<WalEntry, 'project' | 'environment'>> & { refused?: number[] }): Buffer {
  const header = encodeEntryHeader({
    encoding: 'otlp-protobuf',
    workspace: 7,
    project: 9,
    environment: '',
    retentionDays: 30,
    receivedAt: Date.now(),
    refused: Uint32Array.from(refused),
    ...entry,
  });
  return Buffer.concat([frameHeader([header, entry.body]), header, entry.body]);
}
