import type { LaunchDarklyChange } from './change-rules.ts';
import type { LaunchDarklyData, LaunchDarklyItem } from './convert-rules.ts';

/** An event of the second generation of LaunchDarkly's protocol. SDKs apply everything up to `payload-transferred` together. */
export interface TransferEvent {
  readonly event: 'server-intent' | 'put-object' | 'delete-object' | 'payload-transferred';
  /** JSON text. */
  readonly data: string;
}

/** What identifies the data that an SDK has. It sends it back as `basis`. */
export interface Transferred {
  readonly state: string;
  readonly version: number;
}

/** The only payload of an environment. */
const id = 'flags';

const kinds = { flags: 'flag', segments: 'segment' } as const;

/** What a transfer has of one flag or segment, or of one value. */
export interface TransferItem {
  readonly kind: 'flag' | 'segment' | 'flag-eval';
  readonly key: string;
  readonly version: number;
  readonly object: object;
}

/** Everything, in place of what the SDK has. */
export function fullTransfer({ flags, segments }: LaunchDarklyData, at: Transferred): TransferEvent[] {
  const items = [
    ...Object.values(segments).map((item) => JSON.stringify(itemOf('segment', item))),
    ...Object.values(flags).map((item) => JSON.stringify(itemOf('flag', item))),
  ];
  return transferOf(items, at);
}

/** These items, as JSON text, in place of what the SDK has. */
export function transferOf(items: readonly string[], at: Transferred): TransferEvent[] {
  return [intentOf(at, 'xfer-full', 'payload-missing'), ...items.map(putOf), transferred(at)];
}

/** One item that has changed since the last transfer. */
export function putTransfer(item: TransferItem, at: Transferred): TransferEvent[] {
  return [putOf(JSON.stringify(item)), transferred(at)];
}

/** One item that was there at the last transfer. */
export function deleteTransfer(item: Omit<TransferItem, 'object'>, at: Transferred): TransferEvent[] {
  return [{ event: 'delete-object', data: JSON.stringify(item) }, transferred(at)];
}

/** The SDK has this version already. */
export function upToDate(at: Transferred): TransferEvent[] {
  return [intentOf(at, 'none', 'up-to-date')];
}

/** As an SDK polls them. */
export function jsonOf(events: readonly TransferEvent[]): string {
  return `{"events":[${events.map(eventJson).join(',')}]}`;
}

/** One of the events that an SDK polls. */
export function eventJson({ event, data }: TransferEvent): string {
  return `{"event":"${event}","data":${data}}`;
}

/** What has changed since the last transfer. Empty: nothing. */
export function changeTransfer(change: LaunchDarklyChange, data: LaunchDarklyData, at: Transferred): TransferEvent[] {
  switch (change.event) {
    case 'none':
      return [];
    case 'put':
      return fullTransfer(data, at);
    case 'patch':
      return putTransfer(itemOf(placeOf(change.path).kind, change.data), at);
    case 'delete':
      return deleteTransfer({ ...placeOf(change.path), version: change.version }, at);
  }
}

function intentOf({ version }: Transferred, intentCode: string, reason: string): TransferEvent {
  const payloads = [{ id, target: version, intentCode, reason }];
  return { event: 'server-intent', data: JSON.stringify({ payloads }) };
}

function itemOf(kind: TransferItem['kind'], object: LaunchDarklyItem): TransferItem {
  return { kind, key: object.key, version: object.version, object };
}

/** @param item as JSON text */
export function putOf(item: string): TransferEvent {
  return { event: 'put-object', data: item };
}

function transferred({ state, version }: Transferred): TransferEvent {
  return { event: 'payload-transferred', data: JSON.stringify({ id, state, version }) };
}

/** A path is `/flags/<key>` or `/segments/<key>`. */
function placeOf(path: string): Pick<TransferItem, 'kind' | 'key'> {
  const [, kind, key = ''] = path.split('/');
  return { kind: kind === 'segments' ? kinds.segments : kinds.flags, key };
}
