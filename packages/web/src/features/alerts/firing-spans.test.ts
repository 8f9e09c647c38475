import { describe, expect, it } from 'vitest';
import { firingSpans } from './firing-spans.ts';

const at = (seconds: number) => new Date(seconds * 1000).toISOString();

describe('the times that a backtest shows', () => {
  it('are those of pending and firing instances', () => {
    const transitions = [
      { state: 'pending', at: at(10) },
      { state: 'firing', at: at(20) },
      { state: 'resolved', at: at(50) },
    ];
    expect(firingSpans(transitions, 100_000)).toEqual([
      { from: 10_000, to: 20_000, tone: 'pending' },
      { from: 20_000, to: 50_000, tone: 'firing' },
    ]);
  });
  it('last until the end where nothing ended them', () => {
    expect(firingSpans([{ state: 'firing', at: at(20) }], 100_000)).toEqual([
      { from: 20_000, to: 100_000, tone: 'firing' },
    ]);
  });
  it('join firing and recovering, and keep two firings apart', () => {
    const transitions = [
      { state: 'firing', at: at(1) },
      { state: 'recovering', at: at(2) },
      { state: 'resolved', at: at(3) },
      { state: 'firing', at: at(5) },
      { state: 'inactive', at: at(6) },
    ];
    expect(firingSpans(transitions, 10_000)).toEqual([
      { from: 1_000, to: 3_000, tone: 'firing' },
      { from: 5_000, to: 6_000, tone: 'firing' },
    ]);
  });
});
