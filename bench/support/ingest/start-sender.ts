import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Signal } from '@fanion/telemetry';
import type { SenderOptions, SenderResult } from './sender.ts';

/** Items per second: half of the targets, which are 150,000 spans, 200,000 log records and 300,000 points. */
export const halfLoad: Readonly<Record<Signal, number>> = {
  traces: 75_000,
  logs: 100_000,
  metrics: 150_000,
  profiles: 0,
};

export interface RunningSender {
  /** Starts to send. */
  go(): void;
  /** Resolves when open requests are answered. */
  stop(): Promise<SenderResult>;
  kill(): void;
}

/** Starts a sender in a separate process; resolves when its requests are prepared. */
export async function startSender(options: SenderOptions): Promise<RunningSender> {
  const child = fork(fileURLToPath(new URL('./sender.ts', import.meta.url)), [JSON.stringify(options)]);
  await once(child, 'message');
  const ended: Promise<SenderResult> = once(child, 'message').then(([result]) => result);
  return {
    go: () => child.send('go'),
    stop() {
      child.send('stop');
      return ended;
    },
    kill: () => child.kill(),
  };
}
