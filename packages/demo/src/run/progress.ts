import type { Emitter } from '../emit/emitter.ts';

/** Prints the progress of the history at every 10 %. */
export function createProgress(options: {
  emitter: Emitter;
  now: () => number;
  log: (line: string) => void;
  durationMs: number;
  /** Visits per second at the busiest time. */
  rate: number;
}): { tell: (share: number) => void; end: () => void } {
  const { emitter, now, log } = options;
  const startedAt = now();
  let told = 0;
  log(`writing ${formatDuration(options.durationMs)} of history, up to ${options.rate} visits per second`);
  return {
    tell(share) {
      const tenth = Math.floor(share * 10);
      if (tenth <= told || tenth >= 10) return;
      told = tenth;
      const left = ((now() - startedAt) / share) * (1 - share);
      log(`  ${tenth * 10} %, ${count(emitter.delivered().spans)} spans, ${formatDuration(left)} left`);
    },
    end() {
      const { spans, logs } = emitter.delivered();
      log(`history written in ${formatDuration(now() - startedAt)}: ${count(spans)} spans, ${count(logs)} log records`);
    },
  };
}

/** The duration in its largest sensible unit: `24 h`, `90 min`, `12 s`. */
export function formatDuration(ms: number): string {
  if (ms >= 7_200_000) return `${Math.round(ms / 3_600_000)} h`;
  if (ms >= 120_000) return `${Math.round(ms / 60_000)} min`;
  return `${Math.max(1, Math.round(ms / 1000))} s`;
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}
