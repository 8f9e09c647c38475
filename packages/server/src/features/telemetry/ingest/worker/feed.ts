import type { MessagePort } from 'node:worker_threads';
import { type Block, descriptionsIn, pointsIn } from '@fanion/telemetry';
import type { FromFeed, Place } from '../../../../platform/recent-points/index.ts';

/**
 * Sends the rows of watched metrics to the thread that keeps recent points. Reads no block while nothing is watched.
 */
export class Feed {
  #port: Pick<MessagePort, 'postMessage'> | undefined;
  readonly #watched = new Map<string, Set<number>>();

  /** Begins anew, with nothing watched. @param port undefined: no rows are sent */
  open(port: Pick<MessagePort, 'postMessage'> | undefined): void {
    this.#port = port;
    this.#watched.clear();
  }

  /** Returns false if there is nobody to send rows to. */
  watch({ workspace, metric }: Place): boolean {
    if (this.#port === undefined) return false;
    const workspaces = this.#watched.get(metric) ?? new Set();
    this.#watched.set(metric, workspaces.add(workspace));
    return true;
  }

  forget({ workspace, metric }: Place): void {
    const workspaces = this.#watched.get(metric);
    workspaces?.delete(workspace);
    if (workspaces?.size === 0) this.#watched.delete(metric);
  }

  /** Called before the insert of a block begins, so that a point is never found later in memory than in the store. */
  blockBegins(block: Block): void {
    this.#read(block, (rows, found) => this.#send({ rows, ...found }, [found.bytes.buffer]));
  }

  /** Called when the rows of a block were rejected, which were sent before. */
  blockRejected(block: Block): void {
    this.#read(block, (_, { workspace, metric }) => this.#send({ rejected: { workspace, metric } }));
  }

  #read(block: Block, visit: (rows: 'series' | 'points', found: ReturnType<typeof pointsIn>[number]) => void): void {
    if (this.#watched.size === 0) return;
    try {
      if (block.table === 'metric_points') for (const found of pointsIn(block, this.#watched)) visit('points', found);
      else if (block.table === 'metric_series')
        for (const found of descriptionsIn(block, this.#watched)) visit('series', found);
    } catch (error) {
      // What is kept may lack rows of this block, so all of it is dropped.
      this.#send({ failed: error instanceof Error ? error.message : String(error) });
    }
  }

  #send(message: FromFeed, transfer: ArrayBuffer[] = []): void {
    this.#port?.postMessage(message, transfer);
  }
}
