import { median } from '../../support/load.ts';
import { postBodies } from '../../support/post-bodies.ts';
import { type Product, type Question, questions, type Signal, type Started, type Window } from '../product.ts';
import { cpuOf, memoryFigures, memoryOf, watchMemory } from '../run/processes.ts';
import { bytesOnDisk } from '../run/program.ts';
import type { Figures } from '../run/results.ts';
import { type SampleData, sampleData } from '../run/samples.ts';
import { type TelemetryData, telemetryData } from '../run/telemetry-data.ts';

/** Seldom: what a count costs is added to the processor time of writing. */
const POLL_MS = 500;
/** Ten million spans are acknowledged minutes before they are stored. */
const LONGEST_SETTLE_MS = 900_000;
/** Between writing and reading: some products show the newest seconds to some of their queries later than to others. */
const QUIET_MS = 5_000;
/** So long they may hide them. */
const LONGEST_HIDDEN_MS = 60_000;
const WARM_UP = 3;
const MINUTE_MS = 60_000;

export interface TelemetryOptions {
  /** Items that every product gets. */
  readonly items: number;
  /** Longest time of writing. A product that has not taken all items by then is asked about those that it has. */
  readonly seconds: number;
  /** Of each read. */
  readonly rounds: number;
  /** Seconds without any request before the memory at rest is read. */
  readonly rest: number;
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** What writing came to, and the time that the items lie in. */
interface Written {
  readonly figures: Figures & Readonly<Record<'acknowledged' | 'counted', number>>;
  readonly window: Window;
}

/** Writes a signal to one product, counts what it stored, and asks it. */
export async function telemetry(
  signal: Signal,
  { product, program }: { product: Product; program: string },
  options: TelemetryOptions,
): Promise<Figures> {
  const data = signal === 'metrics' ? sampleData(options.items) : telemetryData(signal, options.items);
  const started = await product.start(program);
  const memory = watchMemory(started.pid);
  const emptyBytes = bytesOnDisk(started.directory);
  try {
    const written = await measureWriting(signal, started, data, options);
    await sleep(QUIET_MS);
    const reads = await measureReads(signal, started, data, written, options);
    const peak = memory.stop();
    await sleep(options.rest * 1000);
    return {
      ...written.figures,
      ...reads,
      'bytes on disk': (bytesOnDisk(started.directory) - emptyBytes) / written.figures.acknowledged,
      ...memoryFigures(peak, memoryOf(started.pid)),
    };
  } finally {
    memory.stop();
    await started.stop();
  }
}

async function measureWriting(
  signal: Signal,
  started: Started,
  data: TelemetryData | SampleData,
  { seconds }: TelemetryOptions,
): Promise<Written> {
  const target = started.writes[signal];
  if (target === undefined) throw new Error(`it takes no ${signal}`);
  const cpuBefore = cpuOf(started.pid);
  const [begun, start] = [Date.now(), performance.now()];
  const window = (): Window =>
    'window' in data ? data.window : { from: begun - MINUTE_MS, to: Date.now() + MINUTE_MS };
  const sent = await postBodies(target, data.bodies, seconds);
  const acknowledged = (sent.requests - sent.refused) * data.itemsPerBody;
  const refused = sent.refused * data.itemsPerBody;
  if (acknowledged === 0) throw new Error(`nothing was acknowledged, ${refused} ${signal} were refused`);
  let count = await started.count(signal, window());
  const deadline = performance.now() + LONGEST_SETTLE_MS;
  while (count < acknowledged && performance.now() < deadline) {
    await sleep(POLL_MS);
    count = await started.count(signal, window());
  }
  const storedSeconds = (performance.now() - start) / 1000;
  if (count !== acknowledged) console.error(`  it answers ${count} of ${acknowledged} acknowledged ${signal}`);
  const cpu = cpuOf(started.pid) - cpuBefore;
  return {
    window: window(),
    figures: {
      acknowledged,
      counted: count,
      refused,
      'acknowledged/s': acknowledged / sent.seconds,
      'stored/s': count / storedSeconds,
      'CPU s per million': (cpu * 1e6) / acknowledged,
    },
  };
}

/** The median milliseconds of each read, after some that are not counted, with other values each time. */
async function measureReads(
  signal: Signal,
  started: Started,
  data: TelemetryData | SampleData,
  { window, figures: { counted } }: Written,
  { rounds }: TelemetryOptions,
): Promise<Figures> {
  const figures: Record<string, number> = {};
  for (const kind of questions[signal]) {
    const ask = async (round: number) => {
      const question = data.probe(kind, round);
      // Another window each time, so that no answer was given before.
      const found = await started.ask(question, { from: window.from - round * 1000, to: window.to });
      return wrongAnswer(question, found, counted);
    };
    let wrong = await ask(0);
    for (const end = performance.now() + LONGEST_HIDDEN_MS; wrong !== undefined && performance.now() < end; ) {
      await sleep(POLL_MS);
      wrong = await ask(0);
    }
    const times: number[] = [];
    for (let round = 1; round <= WARM_UP + rounds && wrong === undefined; round++) {
      const began = performance.now();
      wrong = await ask(round);
      if (round > WARM_UP) times.push(performance.now() - began);
    }
    if (wrong === undefined) figures[kind] = median(times);
    else console.error(`  ${wrong}`);
  }
  return figures;
}

/** What is wrong with an answer: a fast one that does not hold what was asked for is no figure. */
function wrongAnswer(question: Question, found: number, counted: number): string | undefined {
  const expected: Readonly<Record<Question['kind'], (count: number) => boolean>> = {
    'trace by id': (spans) => spans === 10,
    'rare attribute': (spans) => spans >= 1 && spans <= 20,
    'frequent attribute': (spans) => spans === 20,
    'rare word': (lines) => lines >= 1 && lines <= 20,
    'count by severity': (lines) => lines === counted,
    'top 10 of 50,000': (rows) => rows === 10,
    'rate by job, 1,000 series': (series) => series === 20,
    'rate by shard, 50 series': (series) => series === 50,
  };
  return expected[question.kind](found) ? undefined : `${JSON.stringify(question)}: the answer holds ${found}`;
}
