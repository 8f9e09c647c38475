import type { CompiledRuleset, EvaluationContext } from '@fanion/flag-engine';
import type { SdkCaller } from '../../../http/caller.ts';
import { eventFrame } from '../../../http/sse.ts';
import { type HeldRuleset, joined, viewFor } from '../evaluation/index.ts';
import { perChange } from './change-frames.ts';
import { onlyChangedFlag } from './change-rules.ts';
import {
  deleteTransfer,
  eventJson,
  putOf,
  putTransfer,
  type TransferEvent,
  type TransferItem,
  type Transferred,
  transferOf,
  upToDate,
} from './transfer-rules.ts';
import { framesOf } from './transfers.ts';
import { type LaunchDarklyValue, launchDarklyValue, launchDarklyValues } from './value-rules.ts';

/** What the values of one client depend on, besides the ruleset. */
export interface ValuesOf {
  readonly caller: SdkCaller;
  readonly context: EvaluationContext;
  readonly withReasons: string;
}

type ValueChange =
  | { readonly event: 'none' }
  | { readonly event: 'patch'; readonly key: string; readonly value: LaunchDarklyValue }
  | { readonly event: 'delete'; readonly key: string; readonly version: number }
  /** Every value. */
  | { readonly event: 'put' };

const everything = { event: 'put' } as const;

/** Looks through a ruleset once for all clients, whose answers differ. */
const changedFlag = perChange(onlyChangedFlag);

/**
 * What changes for a client if a single flag has changed. SDKs ignore a value whose version is not greater than that of the one they
 * have, deleted ones included, so a flag that is new needs everything.
 */
function valueChange(client: ValuesOf, before: HeldRuleset | undefined, now: HeldRuleset): ValueChange {
  const key = before && before !== now ? changedFlag(before.ruleset, now.ruleset) : undefined;
  if (before === undefined || key === undefined) return everything;
  const view = viewOf(client, now);
  const [old, changed] = [viewOf(client, before).flags.get(key), view.flags.get(key)];
  if (old === undefined) return changed === undefined ? { event: 'none' } : everything;
  if (changed === undefined) return { event: 'delete', key, version: old.version + 1 };
  if (changed.version <= old.version) return everything;
  return { event: 'patch', key, value: launchDarklyValue(view, { key, ...client }) };
}

const viewOf = ({ caller }: ValuesOf, { compiled }: HeldRuleset): CompiledRuleset => viewFor(caller, compiled);

const valueMembers = launchDarklyValues((key, value) => Buffer.from(`${JSON.stringify(key)}:${JSON.stringify(value)}`));
const valueItems = launchDarklyValues((key, value) => JSON.stringify(itemOf(key, value)));
const eventBytes = (event: TransferEvent) => Buffer.from(eventJson(event));
const valueEvents = launchDarklyValues((key, value) => eventBytes(putOf(JSON.stringify(itemOf(key, value)))));

/** Every value as the first generation of the protocol has them, as JSON. */
export function allValues(client: ValuesOf, held: HeldRuleset): Buffer {
  const { context, withReasons } = client;
  return joined('{', valueMembers(viewOf(client, held), context, withReasons), '}');
}

/** What a stream of the first generation sends. Empty: nothing has changed. */
export function valueFrames(client: ValuesOf, before: HeldRuleset | undefined, now: HeldRuleset): Buffer {
  const change = valueChange(client, before, now);
  switch (change.event) {
    case 'none':
      return Buffer.alloc(0);
    case 'put':
      return eventFrame('put', undefined, allValues(client, now).toString());
    case 'patch':
      return eventFrame('patch', undefined, JSON.stringify({ key: change.key, ...change.value }));
    case 'delete':
      return eventFrame('delete', undefined, JSON.stringify({ key: change.key, version: change.version }));
  }
}

/** Every value by the second generation, as an SDK polls them, or that it has them. @param basis what it has */
export function polledTransfer(
  client: ValuesOf,
  held: HeldRuleset,
  at: Transferred,
  basis: string | undefined,
): Buffer {
  const { context, withReasons } = client;
  const [intent, ...end] = (basis === at.state ? upToDate(at) : transferOf([], at)).map(eventBytes);
  const puts = basis === at.state ? [] : valueEvents(viewOf(client, held), context, withReasons);
  return joined('{"events":[', [...(intent === undefined ? [] : [intent]), ...puts, ...end], ']}');
}

function allTransfers(
  client: ValuesOf,
  held: HeldRuleset,
  at: Transferred,
  basis: string | undefined,
): TransferEvent[] {
  if (basis === at.state) return upToDate(at);
  const { context, withReasons } = client;
  return transferOf(valueItems(viewOf(client, held), context, withReasons), at);
}

/** What a stream of the second generation sends. Empty: nothing has changed. */
export function transferFrames(
  client: ValuesOf,
  {
    before,
    now,
    at,
    basis,
  }: {
    readonly before: HeldRuleset | undefined;
    readonly now: HeldRuleset;
    readonly at: Transferred;
    readonly basis: string | undefined;
  },
): Buffer {
  if (before === undefined) return framesOf(allTransfers(client, now, at, basis));
  const change = valueChange(client, before, now);
  switch (change.event) {
    case 'none':
      return Buffer.alloc(0);
    case 'put':
      return framesOf(allTransfers(client, now, at, undefined));
    case 'patch':
      return framesOf(putTransfer(itemOf(change.key, change.value), at));
    case 'delete':
      return framesOf(deleteTransfer({ kind: 'flag-eval', key: change.key, version: change.version }, at));
  }
}

/** The version is beside the object. */
function itemOf(key: string, { version, ...object }: LaunchDarklyValue): TransferItem {
  return { kind: 'flag-eval', key, version, object };
}
