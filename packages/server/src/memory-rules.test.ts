import { describe, expect, it } from 'vitest';
import { defaultLimits as ingestLimits } from './features/telemetry/ingest/limits/ingest-limits.ts';
import { bodyShares, defaultMemory, engineShare, groupLimit, leastMemory, memoryOf } from './memory-rules.ts';

const MiB = 1024 ** 2;
const GiB = 1024 ** 3;

describe('the memory of all processes', () => {
  it.each([
    ['nothing is configured', undefined, 64 * GiB, undefined, defaultMemory],
    ['it is configured', 4 * GiB, 64 * GiB, undefined, 4 * GiB],
    ['the control group has less', 4 * GiB, 64 * GiB, GiB, Math.floor(0.9 * GiB)],
    ['the default is more than the control group has', undefined, 64 * GiB, 800 * MiB, 720 * MiB],
    ['the machine has less', 8 * GiB, 4 * GiB, undefined, Math.floor(3.6 * GiB)],
    ['the control group is too small to start in', undefined, 64 * GiB, 256 * MiB, leastMemory],
  ])('when %s', (_name, configured, machine, group, expected) => {
    expect(memoryOf(configured, { machine, group })).toBe(expected);
  });

  it.each([
    ['max\n', undefined],
    ['1073741824\n', GiB],
    ['9223372036854771712\n', undefined],
    ['', undefined],
    ['0', undefined],
  ])('reads the limit %j of a control group', (text, expected) => expect(groupLimit(text)).toBe(expected));
});

it.each([
  [512 * MiB, 256 * MiB],
  [GiB, 576 * MiB],
  [4 * GiB, 3648 * MiB],
])('of %d bytes the engine gets %d', (total, engine) => expect(engineShare(total)).toBe(engine));

it('leaves room for the largest request on the smallest server', () => {
  const { compressedBytes, inflatedBytes } = ingestLimits;
  const { total, project } = bodyShares(leastMemory);
  expect(project).toBeGreaterThanOrEqual(compressedBytes + inflatedBytes);
  expect(total).toBe(2 * project);
  expect(bodyShares(GiB)).toEqual({ total: 256 * MiB, project: 128 * MiB });
});
