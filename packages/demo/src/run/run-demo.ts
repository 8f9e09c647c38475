import { type Emitter, ShopEmitter } from '../emit/emitter.ts';
import { createExporters } from '../emit/export.ts';
import { createEvaluator, DEFAULTS_ONLY, remembering } from '../flags/evaluator.ts';
import { createRandom } from '../random.ts';
import { setUpDemo } from '../setup/set-up-demo.ts';
import { drawVisitor } from '../simulation/shop.ts';
import { SCENARIOS } from '../simulation/visit.ts';
import { writeHistory } from './history.ts';
import { playLive } from './live.ts';
import { createProgress } from './progress.ts';
import { type PlannedVisit, playAll } from './traffic.ts';

export interface DemoOptions {
  /** The server's address, such as `http://127.0.0.1:8080`. */
  endpoint: string;
  /** An API token with `telemetry:ingest`. */
  token?: string;
  /** Instead of a token: an account that `setUpDemo` signs up or logs in to, and the workspace to use. */
  account?: { email: string; password: string; workspace?: string };
  /** An SDK key; without one the shop runs on its flags' defaults. */
  sdkKey?: string;
  /** Duration of the history to write first; none by default. */
  backfillMs?: number;
  /** Visits per second at the busiest time of the week; a visit leaves 5 to 25 spans. 2 by default. */
  ratePerSecond?: number;
  /** The rate of the history; `ratePerSecond` by default, at most 2, so that a day takes some minutes to write. */
  backfillRatePerSecond?: number;
  /** Equal seeds give equal traffic for equal times. 1 by default. */
  seed?: number;
  /** After the history, makes one visit of each kind and ends, instead of sending traffic until the signal aborts. */
  once?: boolean;
  /** Called once the history is written, before the shop opens. */
  onHistory?: () => Promise<void>;
  /** Ends the demo; emitted data is still delivered. */
  signal?: AbortSignal;
  /** Receives lines about progress and errors for people to read. */
  log?: (line: string) => void;
  /** The clock, in milliseconds since the epoch. */
  now?: () => number;
}

/** What the server has acknowledged (spans, log records, metric collections), and what was lost. */
export interface DemoResult {
  spans: number;
  logs: number;
  metrics: number;
  lost: number;
}

const MINUTE = 60_000;
const BACKFILL_RATE = 2;
const FLUSH_LIMIT_MS = 15_000;

/**
 * Runs the shop against a Fanion server through its public interface: OTLP/HTTP for telemetry, OFREP for flags.
 * Resolves when the signal aborts (or, with `once`, by itself) and everything is delivered or 15 s have passed.
 *
 * @throws ExportRefused when the server rejects the data, for example because of an invalid token.
 */
export async function runDemo(options: DemoOptions): Promise<DemoResult> {
  if (options.token !== undefined || options.account === undefined) return runShop(options);
  const { token, sdkKey, afterHistory, revoke } = await setUpDemo({ endpoint: options.endpoint, ...options.account });
  try {
    return await runShop({ ...options, token, sdkKey, onHistory: afterHistory });
  } finally {
    await revoke();
  }
}

async function runShop(options: DemoOptions): Promise<DemoResult> {
  const { endpoint, token, seed = 1, log = () => {}, now = Date.now, ratePerSecond = 2 } = options;
  const signal = options.signal ?? new AbortController().signal;
  const to = wholeMinute(now());
  const from = to - Math.ceil((options.backfillMs ?? 0) / MINUTE) * MINUTE;

  let lost = 0;
  let lastLoss: Error | undefined;
  const complain = atMostEvery(30_000, now, log);
  const emitter = new ShopEmitter({
    exporters: createExporters({ endpoint, signal, ...(token === undefined ? {} : { token }) }),
    since: from,
    onLost(what, count, error) {
      lost += count;
      lastLoss = error;
      complain(`could not deliver ${count} ${what}: ${error.message}`);
    },
  });
  const evaluator =
    options.sdkKey === undefined
      ? DEFAULTS_ONLY
      : await createEvaluator({ endpoint, sdkKey: options.sdkKey, onError: (error) => complain(error.message) });
  try {
    let written = from;
    if (options.backfillMs) {
      // Live traffic may lose data while a server restarts; history must have no gaps.
      const requireNoLoss = () => {
        if (lastLoss) throw lastLoss;
      };
      const peakRate = options.backfillRatePerSecond ?? Math.min(ratePerSecond, BACKFILL_RATE);
      const shop = { emitter, evaluator: remembering(evaluator), seed, peakRate, signal };
      written = await backfill(shop, { from, to, now, log, requireNoLoss });
    }
    if (!signal.aborted) await options.onHistory?.();
    if (options.once) {
      for (const visit of await playAll(oneOfEach(now() - MINUTE, seed), evaluator, { isOpen: false })) {
        emitter.emit(visit.roots, visit.answers.evaluations, visit.random);
      }
      await emitter.collect(now());
    } else {
      log(`the shop is open: up to ${ratePerSecond} visits per second`);
      await playLive({ emitter, evaluator, from: written, seed, peakRate: ratePerSecond, signal, now });
    }
    await flushWithin(emitter, signal);
  } finally {
    await evaluator.close();
    await within(FLUSH_LIMIT_MS, emitter.shutdown());
  }
  return { ...emitter.delivered(), lost };
}

/** Writes the history up to now. @returns the end of what was written */
async function backfill(
  shop: Omit<Parameters<typeof writeHistory>[0], 'from' | 'to' | 'onProgress'>,
  past: { from: number; to: number; now: () => number; log: (line: string) => void; requireNoLoss: () => void },
): Promise<number> {
  const { emitter, signal, peakRate: rate } = shop;
  const { from, to, now, log, requireNoLoss } = past;
  const progress = createProgress({ emitter, now, log, durationMs: to - from, rate });
  let written = from;
  // Writing history takes time, and that time is history too by then.
  for (let until = to; written < until && !signal.aborted; until = wholeMinute(now())) {
    const onProgress = (share: number) => {
      requireNoLoss();
      if (until === to) progress.tell(share);
    };
    await writeHistory({ ...shop, from: written, to: until, onProgress });
    written = until;
  }
  await flushWithin(emitter, signal);
  requireNoLoss();
  if (!signal.aborted) progress.end();
  return written;
}

/** One visit of each scenario, a second apart. */
function oneOfEach(at: number, seed: number): PlannedVisit[] {
  return SCENARIOS.map((scenario, index) => {
    const random = createRandom(seed, 'once', at, index);
    return { visit: { scenario, visitor: drawVisitor(random), at: at + index * 1000 }, random };
  });
}

function wholeMinute(at: number): number {
  return Math.floor(at / MINUTE) * MINUTE;
}

/** Waits until everything is delivered, but not for long after an interruption. */
async function flushWithin(emitter: Emitter, signal: AbortSignal): Promise<void> {
  const flushed = emitter.flush();
  await (signal.aborted ? within(FLUSH_LIMIT_MS, flushed) : flushed);
}

async function within(limitMs: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  try {
    await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

function atMostEvery(ms: number, now: () => number, log: (line: string) => void): (line: string) => void {
  let last = Number.NEGATIVE_INFINITY;
  return (line) => {
    if (now() - last < ms) return;
    last = now();
    log(line);
  };
}
