import { compileRuleset } from '@fanion/flag-engine';
import { describe, expect, it } from 'vitest';
import { EventLog } from './event-log.ts';
import type { RulesetSwap } from './rulesets.ts';
import { maxEventBytes } from './sse.ts';

const rulesetOf = (version: number) => ({ version, environment: 'e', project: 'p', flags: {}, segments: {} });
function swap(from: number, to: number, description = ''): RulesetSwap {
  const ruleset = rulesetOf(to);
  const segment = { key: 's', version: to, included: [description], excluded: [], rules: [] };
  return {
    environmentId: 'id',
    from,
    held: { ruleset, compiled: compileRuleset(ruleset) },
    patch: { version: to, segments: { s: segment } },
  };
}
const texts = (frames: Buffer[] | undefined) => frames?.map((frame) => /id: (\d+)/.exec(frame.toString())?.[1]);

describe('the events of an environment', () => {
  it("are replayed from the client's last version, even from within a step", () => {
    const log = new EventLog(5);
    log.append(swap(5, 6));
    log.append(swap(6, 9));
    log.append(swap(9, 10));
    expect(texts(log.since(5))).toEqual(['6', '9', '10']);
    expect(texts(log.since(7))).toEqual(['9', '10']);
    expect(log.since(10)).toEqual([]);
  });

  it('are never replayed in part: a client that missed too much, or sends a future id, starts over', () => {
    const log = new EventLog(5);
    log.append(swap(5, 6));
    expect(log.since(4)).toBeUndefined();
    expect(log.since(7)).toBeUndefined();
    log.append(swap(8, 9));
    expect(log.since(6)).toBeUndefined();
    expect(texts(log.since(8))).toEqual(['9']);
  });

  it('are bounded in number and in bytes', () => {
    const log = new EventLog(0);
    for (let version = 0; version < 300; version++) log.append(swap(version, version + 1));
    expect(log.since(99)).toBeUndefined();
    expect(log.since(100)).toHaveLength(200);
    for (let version = 300; version < 320; version++) log.append(swap(version, version + 1, 'x'.repeat(400_000)));
    expect(log.since(300)).toBeUndefined();
    expect(log.since(315)).toHaveLength(5);
  });

  it('give the address of a ruleset that is too large', () => {
    const log = new EventLog(1);
    const frame = log.append(swap(1, 2, 'x'.repeat(maxEventBytes))).toString();
    expect(frame).toBe('event: patch\nid: 2\ndata: {"version":2,"refetch":true}\n\n');
    expect(log.put(rulesetOf(2)).toString()).toContain('event: put\nid: 2\ndata: {"version":2,"environment":"e"');
  });
});
