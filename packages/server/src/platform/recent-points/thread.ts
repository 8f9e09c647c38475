import { type MessagePort, Worker } from 'node:worker_threads';
import type { HiddenPlace } from '../scoped-telemetry.ts';
import type { Place } from './keeping-rules.ts';
import type { FromRecent, RecentJob, RecentRows, ToRecent } from './protocol.ts';

/** Threads do not load TypeScript: when running from source, the build is used. */
const workerEntry = new URL(
  import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js',
  import.meta.url,
).href.replace(/\/src\/(.*)\.ts$/, '/dist/$1.js');

export interface RecentThread {
  feed(port: MessagePort): void;
  /** Resolves when the thread keeps what is fed of the metric. Rejects if the thread ends. */
  begin(place: Place, fromMs: number): Promise<void>;
  rows(table: 'series' | 'points', place: Place, bytes: Uint8Array<ArrayBuffer>): void;
  /** Resolves with whether all rows of the metric are there. Rejects if the thread ends. */
  finish(place: Place): Promise<boolean>;
  drop(place: Place): void;
  trim(place: Place, fromMs: number): void;
  remove(workspace: number, hidden: HiddenPlace): void;
  /** Undefined if the engine has to be asked. Rejects if the thread ends. */
  answer(job: RecentJob): Promise<RecentRows | undefined>;
  end(): void;
}

interface Waiting {
  resolve(message: FromRecent): void;
  reject(error: Error): void;
}

/** Starts the thread that keeps recent points. */
export function startThread(options: {
  readonly onResized: (sizes: readonly (Place & { readonly bytes: number })[]) => void;
  readonly onLost: (place: Place) => void;
  /** It failed: nothing that it kept is there. Not called after `end`. */
  readonly onFailed: (error: Error) => void;
}): RecentThread {
  const worker = new Worker(new URL(workerEntry));
  worker.unref();
  const waiting = new Map<number, Waiting>();
  let nextId = 0;
  let isOver = false;

  function over(error: Error): void {
    isOver = true;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  }

  worker.on('message', (message: FromRecent) => {
    if ('resized' in message) options.onResized(message.resized);
    else if ('lost' in message) options.onLost(message.lost);
    else {
      waiting.get(message.id)?.resolve(message);
      waiting.delete(message.id);
    }
  });
  worker.on('error', (error) => {
    if (isOver) return;
    over(error);
    options.onFailed(error);
  });

  const send = (message: ToRecent, transfer: (ArrayBuffer | MessagePort)[] = []) =>
    worker.postMessage(message, transfer);

  function ask(make: (id: number) => ToRecent): Promise<FromRecent> {
    if (isOver) return Promise.reject(new Error('the thread of recent points has ended'));
    const id = nextId++;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      send(make(id));
    });
  }

  return {
    feed: (port) => send({ do: 'feed', port }, [port]),
    async begin(place, fromMs) {
      await ask((id) => ({ do: 'begin', id, place, fromMs }));
    },
    rows: (table, place, bytes) => send({ do: table, place, bytes }, [bytes.buffer]),
    async finish(place) {
      const told = await ask((id) => ({ do: 'finish', id, place }));
      return 'isWhole' in told && told.isWhole;
    },
    drop: (place) => send({ do: 'drop', place }),
    trim: (place, fromMs) => send({ do: 'trim', place, fromMs }),
    remove: (workspace, hidden) => send({ do: 'remove', workspace, hidden }),
    async answer(job) {
      const told = await ask((id) => ({ do: 'answer', id, job }));
      return 'answer' in told ? told.answer : undefined;
    },
    end() {
      over(new Error('the thread of recent points has ended'));
      void worker.terminate();
    },
  };
}
