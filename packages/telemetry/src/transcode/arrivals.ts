import type { Signal } from '../entry.ts';
import type { TableRows } from './block.ts';
import type { ResourceNames } from './context.ts';

/** Who sent what within one segment. */
export interface Arrival extends ResourceNames {
  workspace: number;
  project: number;
  signal: Signal;
  /** Unix hours. */
  hour: number;
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

  add(arrival: Arrival): void {
    const key = keyOf(arrival);
    const known = this.#byKey.get(key);
    if (known !== undefined) {
      known.items += arrival.items;
      known.bytes += arrival.bytes;
      known.firstAt = Math.min(known.firstAt, arrival.firstAt);
      known.lastAt = Math.max(known.lastAt, arrival.lastAt);
    } else if (this.#byKey.size < MAX_SENDERS || arrival.service === OTHERS) {
      this.#byKey.set(key, { ...arrival });
    } else {
      const nobody = { environment: '', sdkName: '', sdkLanguage: '', sdkVersion: '' };
      this.add({ ...arrival, ...nobody, service: OTHERS });
    }
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

function keyOf({ workspace, project, signal, hour, ...names }: Arrival): string {
  const { environment, service, sdkName, sdkLanguage, sdkVersion } = names;
  return JSON.stringify([workspace, project, signal, hour, environment, service, sdkName, sdkLanguage, sdkVersion]);
}
