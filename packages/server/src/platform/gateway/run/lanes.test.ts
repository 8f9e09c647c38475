import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLanes, type Lane, laneLimits } from './lanes.ts';

const limits = laneLimits({ interactive: 3, dashboard: 2, alert: 2, background: 1 }, 2);
const forever = new AbortController().signal;

/** Lets promises settle. */
const settle = async () => {
  for (let i = 0; i < 5; i++) await Promise.resolve();
};

describe('the lanes of the turnstile', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('admit alerts at once while interactive queries flood the server', async () => {
    const lanes = createLanes(limits);
    for (let workspace = 1; workspace <= 20; workspace++)
      for (let n = 0; n < 10; n++) lanes.enter('interactive', workspace, forever).catch(() => {});
    await settle();
    expect(lanes.state('interactive')).toMatchObject({ running: 3 });
    await lanes.enter('alert', 1, forever);
    await lanes.enter('dashboard', 1, forever);
    expect(lanes.state('alert')).toEqual({ running: 1, waiting: 0, refused: 0 });
  });

  it('take as many waiting queries of one request as any others, without a warning of a leak', async () => {
    const warnings = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    onTestFinished(() => warnings.mockRestore());
    const lanes = createLanes(limits);
    const { signal } = new AbortController();
    for (let n = 0; n < 30; n++) lanes.enter('dashboard', 1, signal).catch(() => {});
    await settle();
    expect(lanes.state('dashboard').waiting).toBeGreaterThan(20);
    expect(warnings).not.toHaveBeenCalled();
  });

  it('keep a slot of each lane for other workspaces', async () => {
    const lanes = createLanes(limits);
    for (let n = 0; n < 30; n++) lanes.enter('interactive', 1, forever).catch(() => {});
    await settle();
    await lanes.enter('interactive', 2, forever);
    expect(lanes.state('interactive').running).toBe(3);
  });

  it('give a free slot to the workspace that runs the fewest queries', async () => {
    const lanes = createLanes(limits);
    const leave = await lanes.enter('interactive', 1, forever);
    await lanes.enter('interactive', 1, forever);
    await lanes.enter('interactive', 2, forever);
    const order: number[] = [];
    for (const workspace of [1, 2, 3])
      void lanes.enter('interactive', workspace, forever).then(() => order.push(workspace));
    await settle();
    leave();
    await settle();
    expect(order).toEqual([3]);
    leave();
    await settle();
    // A slot is freed only once.
    expect(order).toEqual([3]);
  });

  it.each<[Lane, number]>([
    ['interactive', 1],
    ['dashboard', 2],
    ['alert', 5],
    ['background', 30],
  ])('reject in %s with 429 and a retry delay that fits the lane', async (lane, seconds) => {
    const lanes = createLanes(limits);
    for (let n = 0; n < limits[lane].perWorkspace; n++) await lanes.enter(lane, 1, forever);
    const late = lanes.enter(lane, 1, forever);
    const rejected = expect(late).rejects.toMatchObject({
      error: 'QUERY_QUEUE_FULL',
      status: 429,
      retryAfterSeconds: seconds,
    });
    vi.advanceTimersByTime(limits[lane].waitMs);
    await rejected;
    for (let n = 0; n < limits[lane].waiting; n++) lanes.enter(lane, 1, forever).catch(() => {});
    await settle();
    await expect(lanes.enter(lane, 1, forever)).rejects.toMatchObject({ error: 'QUERY_QUEUE_FULL' });
    expect(lanes.state(lane).refused).toBe(2);
  });

  it('drop a client that disconnects while it waits', async () => {
    const lanes = createLanes(limits);
    const leaves = [await lanes.enter('background', 1, forever)];
    const client = new AbortController();
    const waiting = lanes.enter('background', 1, client.signal);
    const rejected = expect(waiting).rejects.toBe('left');
    client.abort('left');
    await rejected;
    for (const leave of leaves) leave();
    expect(lanes.state('background')).toEqual({ running: 0, waiting: 0, refused: 0 });
    await expect(lanes.enter('background', 1, AbortSignal.abort('left'))).rejects.toBe('left');
  });

  it('never admit more than their slots, and lose no slot', async () => {
    type Step = { readonly do: 'enter' | 'leave' | 'abort'; readonly workspace: number; readonly which: number };
    const steps = fc.array(
      fc.record<Step>({
        do: fc.constantFrom('enter', 'enter', 'leave', 'abort'),
        workspace: fc.integer({ min: 1, max: 4 }),
        which: fc.nat(20),
      }),
      { maxLength: 80 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const lanes = createLanes(limits);
        const inside: { workspace: number; leave: () => void }[] = [];
        const waiting: AbortController[] = [];
        for (const { do: what, workspace, which } of all) {
          if (what === 'enter') {
            const client = new AbortController();
            waiting.push(client);
            lanes.enter('interactive', workspace, client.signal).then(
              (leave) => {
                inside.push({ workspace, leave });
                waiting.splice(waiting.indexOf(client), 1);
              },
              () => {},
            );
          } else if (what === 'leave') inside.splice(which % (inside.length || 1), 1)[0]?.leave();
          else waiting.splice(which % (waiting.length || 1), 1)[0]?.abort();
          await settle();
          expect(lanes.state('interactive').running).toBe(inside.length);
          expect(inside.length).toBeLessThanOrEqual(3);
          for (let of = 1; of <= 4; of++)
            expect(inside.filter((one) => one.workspace === of).length).toBeLessThanOrEqual(2);
        }
        while (inside.length > 0) {
          inside.shift()?.leave();
          await settle();
        }
        expect(lanes.state('interactive')).toMatchObject({ running: 0, waiting: 0 });
      }),
      { numRuns: 50 },
    );
  });
});
