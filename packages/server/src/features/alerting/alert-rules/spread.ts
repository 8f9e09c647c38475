import { createHash } from 'node:crypto';
import { shardCount } from './shard-rules.ts';
import type { Slots } from './slot-rules.ts';

/** The shard of a rule. */
export function shardOf(ruleId: string): number {
  return digest(ruleId).readUInt8(4) % shardCount;
}

/** The slots of rules of one shape. Their phase is a hash of it, so that the shapes of one interval are spread over it. */
export function slotsOf(shape: string, everyMs: number): Slots {
  return { everyMs, phaseMs: digest(shape).readUInt32BE(0) % everyMs };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
