/** The relative effects that the slider reaches, from 0.5 % to 100 %; its places are even in the logarithm. */
const [LEAST, MOST] = [0.005, 1];
export const PLACES = 200;

/** The place of an effect on the slider, from 0 to {@link PLACES}. */
export function placeOf(effect: number): number {
  const inside = Math.min(MOST, Math.max(LEAST, effect));
  return Math.round((PLACES * Math.log(inside / LEAST)) / Math.log(MOST / LEAST));
}

/** The effect at a place, in two significant digits. */
export function effectAt(place: number): number {
  return Number((LEAST * (MOST / LEAST) ** (place / PLACES)).toPrecision(2));
}

export interface CurvePoint {
  readonly days: number;
  readonly power: number;
}

/** The path of a curve of power in a box of the given size; days go from 0 to `lastDay`. */
export function curveOf(points: readonly CurvePoint[], lastDay: number, width: number, height: number): string {
  return [{ days: 0, power: 0 }, ...points]
    .map(({ days, power }, i) => {
      const x = ((days / lastDay) * width).toFixed(1);
      const y = ((1 - power) * height).toFixed(1);
      return `${i === 0 ? 'M' : 'L'}${x} ${y}`;
    })
    .join(' ');
}
