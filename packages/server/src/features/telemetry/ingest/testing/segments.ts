import { currentDivision, type WalEntry } from '@fanion/telemetry';
import { encodeEntryHeader } from '../../../../platform/wal/entry.ts';
import { frameHeader } from '../../../../platform/wal/frame.ts';

/** One entry as it is in a segment file, by default of this version. */
export function encodeEntry(
  {
    refused = [],
    ...entry
  }: Pick<WalEntry, 'signal' | 'body' | 'items'> &
    Partial<Pick<WalEntry, 'project' | 'environment'>> & { refused?: number[] },
  division = currentDivision,
): Buffer {
  const fields = {
    encoding: 'otlp-protobuf' as const,
    workspace: 7,
    project: 9,
    environment: '',
    retentionDays: 30,
    receivedAt: Date.now(),
    refused: Uint32Array.from(refused),
    ...entry,
  };
  const header = encodeEntryHeader(fields, division);
  return Buffer.concat([frameHeader([header, entry.body]), header, entry.body]);
}
