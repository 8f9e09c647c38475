import type { ProcessIdentity } from '../process-identity.ts';

/** What a supervisor sends to its child over the IPC channel. */
export type ToChild<Config> =
  | { type: 'start'; config: Config; parent: ProcessIdentity }
  | { type: 'ping'; id: number }
  | { type: 'call'; id: number; name: string; args: readonly unknown[] };

/** What a child sends to its supervisor. */
export type FromChild<Ready> =
  | { type: 'ready'; ready: Ready }
  | { type: 'failed'; reason: string }
  | { type: 'pong'; id: number }
  | { type: 'called'; id: number; result?: unknown; error?: string }
  | { type: 'log'; level: 'info' | 'warn' | 'error'; fields: object; message: string };

/** What a child does when its supervisor calls for it. Arguments and results are JSON. */
export type Calls = Readonly<Record<string, (...args: never[]) => Promise<unknown>>>;
