import { Counter, type Registry } from '../../../platform/own-metrics.ts';
import type { OwnSignal } from './otlp.ts';

/** `sampled`: not chosen among ordinary requests and warnings; `limit`: over the limit; `failed`: not accepted by ingest; `no_project`: nobody has signed up yet. */
export type DropReason = 'sampled' | 'limit' | 'failed' | 'no_project';

export interface SelfTelemetryCounts {
  stored(signal: OwnSignal, items: number): void;
  dropped(signal: OwnSignal, reason: DropReason, items: number): void;
}

export function countSelfTelemetry(registry: Registry): SelfTelemetryCounts {
  const registers = [registry];
  const stored = new Counter({
    name: 'fanion_self_telemetry_items_total',
    help: 'Points, spans and log records that the server has stored about itself',
    labelNames: ['signal'],
    registers,
  });
  const dropped = new Counter({
    name: 'fanion_self_telemetry_dropped_total',
    help: 'Points, spans and log records about the server itself that were not stored: sampled, over the limit, failed, or without a project',
    labelNames: ['signal', 'reason'],
    registers,
  });
  return {
    stored: (signal, items) => stored.inc({ signal }, items),
    dropped(signal, reason, items) {
      if (items > 0) dropped.inc({ signal, reason }, items);
    },
  };
}
