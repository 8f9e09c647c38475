/** What the items of a converted request are, in their order. */
export interface Tally {
  kinds: ('samples' | 'histograms')[];
  /** How many exemplars each item carries. */
  exemplars: number[];
}

/** What was kept of a remote-write request, as its answer tells. */
export interface Written {
  samples: number;
  histograms: number;
  exemplars: number;
}

/** @param refused positions of items, ascending. */
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
