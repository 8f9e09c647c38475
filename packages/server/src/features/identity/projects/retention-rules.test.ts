import { describe, expect, it } from 'vitest';
import { changeRetention, chosenRetention, retentionOf } from './retention-rules.ts';

const classes = { default: 30, allowed: [3, 7, 30] };

describe('retention', () => {
  it("is the server's default when a project chooses nothing", () => {
    expect(retentionOf({ logs: 7 }, 30)).toEqual({ traces: 30, logs: 7, metrics: 30, profiles: 30 });
    expect(chosenRetention({ logs: 7 })).toEqual({ traces: null, logs: 7, metrics: null, profiles: null });
  });

  it('changes the named signals; null restores the default', () => {
    const before = { traces: 3, logs: 7 };
    expect(changeRetention(before, {}, classes)).toEqual(before);
    expect(changeRetention(before, { logs: null, metrics: 30 }, classes)).toEqual({ traces: 3, metrics: 30 });
  });

  it('is one of the classes, and stays when it is no longer one of them', () => {
    expect(() => changeRetention({}, { logs: 8 }, classes)).toThrow(
      expect.objectContaining({
        error: 'INVALID_INPUT',
        details: [{ path: 'retention.logs', message: 'one of 3, 7, 30 days, or null for the default' }],
      }),
    );
    expect(changeRetention({ logs: 90 }, { traces: 3 }, classes)).toEqual({ traces: 3, logs: 90 });
  });
});
