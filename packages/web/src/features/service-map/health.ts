export type Health = 'ok' | 'warning' | 'error';

/** Shares of failed calls at or above this are colored. */
const WARNING = 0.01;
const ERROR = 0.05;

/** `errors` is 0 to 1. */
export function healthOf(errors: number): Health {
  return errors >= ERROR ? 'error' : errors >= WARNING ? 'warning' : 'ok';
}

/** Width of a line in pixels, 1.2 to 5: by the logarithm, since rates differ by powers of ten. */
export function strokeOf(rate: number, busiest: number): number {
  if (busiest <= 0 || rate <= 0) return 1.2;
  return 1.2 + 3.8 * Math.max(0, 1 + Math.log10(rate / busiest) / 3);
}
