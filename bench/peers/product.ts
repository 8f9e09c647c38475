/** What `bench/peers.ts` knows of a product: how it starts, where it is written to, and how it is asked. */

import type { PostTarget } from '../support/post-bodies.ts';

export type Signal = 'traces' | 'logs' | 'metrics';
export type Suite = Signal | 'flags' | 'memory';

/** Milliseconds since 1970. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** The reads of the table. Every product answers the same one in its own language. */
export type Question =
  | { readonly kind: 'trace by id'; readonly traceId: string }
  | { readonly kind: 'rare attribute'; readonly service: string; readonly customer: string }
  | { readonly kind: 'frequent attribute'; readonly service: string; readonly route: string }
  | { readonly kind: 'rare word'; readonly word: string }
  | { readonly kind: 'count by severity' }
  | { readonly kind: 'top 10 of 50,000' }
  | { readonly kind: 'rate by job, 1,000 series' }
  | { readonly kind: 'rate by shard, 50 series'; readonly job: string };

export const questions: Readonly<Record<Signal, readonly Question['kind'][]>> = {
  traces: ['trace by id', 'rare attribute', 'frequent attribute'],
  logs: ['rare word', 'count by severity', 'top 10 of 50,000'],
  metrics: ['rate by job, 1,000 series', 'rate by shard, 50 series'],
};

export interface Started {
  /** The process, whose descendants belong to it. */
  readonly pid: number;
  /** Where it keeps its data. */
  readonly directory: string;
  /** OTLP as protobuf, or remote write 1.0. */
  readonly writes: Readonly<Partial<Record<Signal, PostTarget>>>;
  /** Items that can be read. */
  count(signal: Signal, window: Window): Promise<number>;
  /** What the answer holds: spans, lines, rows or series; for `count by severity` the sum of the counts. */
  ask(question: Question, window: Window): Promise<number>;
  stop(): Promise<void>;
}

/** A program, or the reason why this machine does not have it. */
export type Found = { readonly program: string } | { readonly missing: string };

export interface Product {
  readonly name: string;
  readonly signals: readonly Signal[];
  find(binaries: string | undefined): Found;
  start(program: string): Promise<Started>;
}

/** A question about a signal that the product does not take. */
export const unasked = ({ kind }: Question) => new Error(`"${kind}" is not asked of it`);
