import type { ProcessIdentity } from '../process-identity.ts';

/** What a supervisor sends to its child over the IPC channel. */
export type ToChild<Config> = { type: 'start'; config: Config; parent: ProcessIdentity } | { type: 'ping'; id: number };

/** What a child sends to its supervisor. */
export type FromChild<Ready> =
  | { type: 'ready'; ready: Ready }
  | { type: 'failed'; reason: string }
  | { type: 'pong'; id: number }
  | { type: 'log'; level: 'info' | 'warn' | 'error'; fields: object; message: string };
