/** The numbers of one series, by bucket. Used for one series after another, so that none makes its own. */
export interface OfBuckets {
  readonly values: Float64Array;
  /** 1 where the series has a number in the bucket. */
  readonly has: Uint8Array;
}

export function ofBuckets(count: number): OfBuckets {
  return { values: new Float64Array(count), has: new Uint8Array(count) };
}
