import type { ArmSums } from '../../packages/server/src/features/judging/metrics/measure.ts';

/** The sums of one metric by arm, kept by unit. */
export class Sums {
  readonly #units = new Map<string, { x: number; y: number }>();
  sums: ArmSums;

  constructor(variant: string) {
    const none = { x: 0, xx: 0, y: 0, yy: 0, xy: 0, p: 0, pp: 0, px: 0, py: 0, q: 0, qq: 0, qx: 0, qy: 0, pq: 0 };
    this.sums = { ...none, variant, slice: '', n: 0, active: 0, events: 0, rows: 0, skipped: 0, quantile: null };
  }

  add(unit: string, values: readonly number[]): void {
    const old = this.#units.get(unit) ?? { x: 0, y: 0 };
    const now = { x: old.x + values.reduce((sum, value) => sum + value, 0), y: old.y + values.length };
    const isNew = this.#units.has(unit) ? 0 : 1;
    this.#units.set(unit, now);
    const { sums } = this;
    this.sums = {
      ...sums,
      ...{ n: sums.n + isNew, active: sums.active + isNew, rows: sums.rows + values.length },
      ...{ x: sums.x + now.x - old.x, xx: sums.xx + now.x ** 2 - old.x ** 2 },
      ...{ y: sums.y + now.y - old.y, yy: sums.yy + now.y ** 2 - old.y ** 2 },
      xy: sums.xy + now.x * now.y - old.x * old.y,
      events: sums.events + (old.x === 0 && now.x !== 0 ? 1 : 0),
    };
  }
}
