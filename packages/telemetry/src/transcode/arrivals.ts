import type { Signal } from '../entry.ts';
import type { TableRows } from './block.ts';
import type { ResourceNames } from './context.ts';

/** Who sends, within an hour. */
export interface ArrivalSender extends ResourceNames {
  workspace: number;
  project: number;
  signal: Signal;
  /** Unix hours. */
  hour: number;
  /** The same for the same sender. */
  key: string;
}

/** Who sent what within one segment. */
export interface Arrival extends ArrivalSender {
  items: number;
  bytes: number;
  /** Unix milliseconds of receiving. */
  firstAt: number;
  lastAt: number;
}

/** Distinct senders per segment; further ones are counted under one name. */
const MAX_SENDERS = 5000;
const OTHERS = '(others)';

/** Sums arrivals per sender and hour. */
export class Arrivals {
  readonly #byKey = new Map<string, Arrival>();

  /** Returns what the sender, or the name that it is counted under, has now; {@link count} adds more to it. */
  add(sender: ArrivalSender, items: number, bytes: number, receivedAt: number): Arrival {
    const known = this.#byKey.get(sender.key);
    if (known !== undefined) return count(known, items, bytes, receivedAt);
    if (this.#byKey.size < MAX_SENDERS || sender.service === OTHERS) {
      const begun = { ...sender, items, bytes, firstAt: receivedAt, lastAt: receivedAt };
      this.#byKey.set(sender.key, begun);
      return begun;
    }
    const { workspace, project, signal, hour } = sender;
    const nobody = { environment: '', sdkName: '', sdkLanguage: '', sdkVersion: '' };
    const others = senderOf({ workspace, project, signal, hour, ...nobody, service: OTHERS });
    return this.add(others, items, bytes, receivedAt);
  }

  list(): Arrival[] {
    return [...this.#byKey.values()];
  }

  write(rows: TableRows): void {
    const { row } = rows;
    for (const arrival of this.#byKey.values()) {
      // Partitions of this table are months, and at most two of them meet within a segment.
      rows.begin(0);
      row.reserve(64);
      row.uint32(arrival.workspace);
      row.uint32(arrival.project);
      row.text(arrival.environment);
      row.text(arrival.signal);
      row.text(arrival.service);
      row.text(arrival.sdkName);
      row.text(arrival.sdkLanguage);
      row.text(arrival.sdkVersion);
      row.reserve(36);
      row.uint32(arrival.hour * 3600);
      row.integer64(arrival.items);
      row.integer64(arrival.bytes);
      row.integer64(arrival.firstAt);
      row.integer64(arrival.lastAt);
    }
  }
}

/** Adds what arrived to what did before. */
export function count(arrival: Arrival, items: number, bytes: number, receivedAt: number): Arrival {
  arrival.items += items;
  arrival.bytes += bytes;
  arrival.firstAt = Math.min(arrival.firstAt, receivedAt);
  arrival.lastAt = Math.max(arrival.lastAt, receivedAt);
  return arrival;
}

export function senderOf(sender: Omit<ArrivalSender, 'key'>): ArrivalSender {
  const { workspace, project, signal, hour, environment, service, sdkName, sdkLanguage, sdkVersion } = sender;
  const key = [workspace, project, signal, hour, environment, service, sdkName, sdkLanguage, sdkVersion];
  return { ...sender, key: JSON.stringify(key) };
}
