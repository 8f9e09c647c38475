import { describe, expect, it } from 'vitest';
import { complete } from '../../../platform/steps.ts';
import { launchDarklyChange } from './change-rules.ts';
import type { LaunchDarklyItem } from './convert-rules.ts';

const item = (key: string, version: number, more: object = {}): LaunchDarklyItem => ({ key, version, ...more });
const dataOf = (flags: readonly LaunchDarklyItem[], segments: readonly LaunchDarklyItem[] = []) => ({
  flags: Object.fromEntries(flags.map((one) => [one.key, one])),
  segments: Object.fromEntries(segments.map((one) => [one.key, one])),
});
const changed = (before: ReturnType<typeof dataOf>, after: ReturnType<typeof dataOf>) =>
  complete(launchDarklyChange(before, after));

describe('the change that a LaunchDarkly stream sends', () => {
  const before = dataOf([item('a', 1), item('b', 4, { on: true })], [item('s', 2)]);

  it('is one flag or segment with a greater version', () => {
    const flag = item('b', 5, { on: false });
    const patch = { event: 'patch', path: '/flags/b', data: flag };
    expect(changed(before, dataOf([item('a', 1), flag], [item('s', 2)]))).toEqual(patch);
    const segment = item('s', 3);
    const ofSegment = { event: 'patch', path: '/segments/s', data: segment };
    expect(changed(before, dataOf([item('a', 1), item('b', 4, { on: true })], [segment]))).toEqual(ofSegment);
  });

  it('is the removal of an item, with a version that SDKs do not have yet', () => {
    const removed = { event: 'delete', path: '/flags/b', version: 5 };
    expect(changed(before, dataOf([item('a', 1)], [item('s', 2)]))).toEqual(removed);
  });

  it('is nothing if only flags have changed that the SDK does not get', () => {
    expect(changed(before, structuredClone(before))).toEqual({ event: 'none' });
  });

  it('is everything for several items, for a new one, and for one whose version is not greater', () => {
    const everything = { event: 'put' };
    expect(changed(before, dataOf([item('a', 2), item('b', 5)], [item('s', 2)]))).toEqual(everything);
    expect(changed(before, dataOf([...Object.values(before.flags), item('c', 9)], [item('s', 2)]))).toEqual(everything);
    expect(changed(before, dataOf([item('a', 1), item('b', 4)], [item('s', 2)]))).toEqual(everything);
  });
});
