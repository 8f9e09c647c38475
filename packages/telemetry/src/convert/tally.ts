/** The items of a converted request, in order. */
export interface Tally {
  kinds: ('samples' | 'histograms')[];
  /** Number of exemplars of each item. */
  exemplars: number[];
}

/** The stored parts of a remote-write request, for its response. */
export interface Written {
  samples: number;
  histograms: number;
  exemplars: number;
}

/** @param refused positions of rejected items, ascending. */
export function writtenOf({ kinds, exemplars }: Tally, refused: readonly number[]): Written {
  const written: Written = { samples: 0, histograms: 0, exemplars: 0 };
  let next = 0;
  for (const [index, kind] of kinds.entries()) {
    if (refused[next] === index) {
      next++;
      continue;
    }
    written[kind]++;
    written.exemplars += exemplars[index] ?? 0;
  }
  return written;
}
