/**
 * The server's telemetry about itself. An answered request, a warning → a sample (`rules.ts`) → every few seconds, with the metrics of
 * `/internal/metrics`, OTLP (`otlp.ts`) → ingest's ordinary way in (`own-door.ts`): checked, appended to the write-ahead log, stored.
 *
 * No request waits for it. It makes no telemetry about itself: it sends no requests, its own log lines are left out, and
 * an interval has a limit.
 */
import type { LogLines } from '../../../platform/log-lines.ts';
import type { Registry } from '../../../platform/own-metrics.ts';
import type { SettingsOf } from '../../../platform/settings.ts';
import { countSelfTelemetry } from './counts.ts';
import { logRecordOf, metricsOf, type OwnItem, sampledSpan, spanOf } from './otlp.ts';
import { createOwnDoor, type OwnDoorOptions } from './own-door.ts';
import { type Answered, createSample, isNotable, isTraced, type Sample, sharesOf } from './rules.ts';
import type { selfTelemetrySettings } from './settings.ts';

export type { OwnMetric } from './otlp.ts';
export { findOperatorsWorkspace, findOwnProject } from './own-project.ts';

export interface SelfTelemetry {
  /** Called for each answered request of a declared route; cheap. */
  answered(request: Answered): void;
  /** Stores what was collected last. */
  stop(): Promise<void>;
}

export interface SelfTelemetryOptions extends Omit<OwnDoorOptions, 'counts' | 'projectId'> {
  readonly settings: SettingsOf<typeof selfTelemetrySettings>;
  readonly registry: Registry;
  /** Undefined: log lines are not collected. */
  readonly lines: LogLines | undefined;
  readonly random: () => number;
}

/** A binding of the log whose lines are not collected. */
const ownLines = 'self_telemetry';
const warnLevel = 40;
const errorLevel = 50;

/** Declares the metrics of self-telemetry, and starts it if it is on. */
export function createSelfTelemetry(options: SelfTelemetryOptions): SelfTelemetry {
  const { settings, self, registry, clock, random } = options;
  const counts = countSelfTelemetry(registry);
  if (!settings.isOn) return { answered() {}, stop: async () => {} };
  const log = options.log.child({ [ownLines]: true });
  const door = createOwnDoor({ ...options, projectId: settings.projectId, counts, log });
  const most = sharesOf(settings.itemsPerSecond, settings.everyMs);
  const spans = createSample<OwnItem>(most.spans, random);
  const records = createSample<OwnItem>(most.logs, random);

  const unfollow = options.lines?.follow(warnLevel, (line) => {
    if (line[ownLines] !== undefined) return;
    records.add(() => logRecordOf(line, clock.now()), line.level >= errorLevel ? 'notable' : 'ordinary');
  });

  function takeFrom(signal: 'traces' | 'logs', sample: Sample<OwnItem>) {
    const taken = sample.take();
    counts.dropped(signal, 'limit', taken.dropped);
    counts.dropped(signal, 'sampled', taken.sampled);
    return taken;
  }

  async function storeInterval(): Promise<void> {
    const metrics = metricsOf(await registry.getMetricsAsJSON(), self, clock.now(), most.points);
    counts.dropped('metrics', 'limit', metrics.dropped);
    const requests = takeFrom('traces', spans);
    const traces = [...requests.notable, ...requests.ordinary.map((span) => sampledSpan(span, requests.share))];
    const lines = takeFrom('logs', records);
    await door.store({ metrics: metrics.items, traces, logs: [...lines.notable, ...lines.ordinary] });
  }

  let storing: Promise<void> | undefined;
  /** An interval that takes longer than itself delays the next one: there is never more than one under way. */
  const tick = () => {
    storing ??= storeInterval()
      .catch((error: unknown) => log.error({ err: error }, 'telemetry about this server cannot be made'))
      .finally(() => {
        storing = undefined;
      });
    return storing;
  };
  const timer = setInterval(() => void tick(), settings.everyMs).unref();

  return {
    answered(request) {
      if (isTraced(request.route))
        spans.add(() => spanOf(request, clock.now()), isNotable(request) ? 'notable' : 'ordinary');
    },
    async stop() {
      clearInterval(timer);
      unfollow?.();
      await storing;
      await tick();
    },
  };
}
