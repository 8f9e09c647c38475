import type { LaunchDarklyChange } from './change-rules.ts';
import type { LaunchDarklyData, LaunchDarklyItem } from './convert-rules.ts';

/** An event of the second generation of LaunchDarkly's protocol. SDKs apply everything up to `payload-transferred` together. */
export interface TransferEvent {
  readonly event: 'server-intent' | 'put-object' | 'delete-object' | 'payload-transferred';
  readonly data: object;
}

/** What identifies the data that an SDK has. It sends it back as `basis`. */
interface Transferred {
  readonly state: string;
  readonly version: number;
}

/** The only payload of an environment. */
const id = 'flags';

const kinds = { flags: 'flag', segments: 'segment' } as const;

/** Everything, in place of what the SDK has. */
export function fullTransfer({ flags, segments }: LaunchDarklyData, at: Transferred): TransferEvent[] {
  return [
    intentOf(at, 'xfer-full', 'payload-missing'),
    ...Object.values(segments).map((item) => putOf('segment', item)),
    ...Object.values(flags).map((item) => putOf('flag', item)),
    transferred(at),
  ];
}

/** The SDK has this version already. */
export function upToDate(at: Transferred): TransferEvent[] {
  return [intentOf(at, 'none', 'up-to-date')];
}

/** What has changed since the last transfer. Empty: nothing. */
export function changeTransfer(change: LaunchDarklyChange, data: LaunchDarklyData, at: Transferred): TransferEvent[] {
  switch (change.event) {
    case 'none':
      return [];
    case 'put':
      return fullTransfer(data, at);
    case 'patch':
      return [putOf(placeOf(change.path).kind, change.data), transferred(at)];
    case 'delete':
      return [{ event: 'delete-object', data: { ...placeOf(change.path), version: change.version } }, transferred(at)];
  }
}

function intentOf({ version }: Transferred, intentCode: string, reason: string): TransferEvent {
  return { event: 'server-intent', data: { payloads: [{ id, target: version, intentCode, reason }] } };
}

function putOf(kind: string, item: LaunchDarklyItem): TransferEvent {
  return { event: 'put-object', data: { kind, key: item.key, version: item.version, object: item } };
}

function transferred({ state, version }: Transferred): TransferEvent {
  return { event: 'payload-transferred', data: { id, state, version } };
}

/** A path is `/flags/<key>` or `/segments/<key>`. */
function placeOf(path: string): { readonly kind: string; readonly key: string } {
  const [, kind, key = ''] = path.split('/');
  return { kind: kind === 'segments' ? kinds.segments : kinds.flags, key };
}
