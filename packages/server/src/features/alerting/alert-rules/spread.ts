import { createHash } from 'node:crypto';
import { shardCount } from './shard-rules.ts';
import type { Slots } from './slot-rules.ts';

/** The shard of a rule. */
export function shardOf(ruleId: string): number {
  return digest(ruleId).readUInt8(4) % shardCount;
}

/** The slots of a rule. Their phase is a hash of its id, so that the rules of one interval are spread over it. */
export function slotsOf(ruleId: string, everyMs: number): Slots {
  return { everyMs, phaseMs: digest(ruleId).readUInt32BE(0) % everyMs };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
