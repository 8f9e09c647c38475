export const signals = ['traces', 'logs', 'metrics', 'profiles'] as const;
export type Signal = (typeof signals)[number];

export interface Arrivals {
  readonly signal: Signal;
  readonly items: number;
  readonly lastAt: Date;
  readonly services: string[];
  readonly sdks: { name: string; language: string; version: string }[];
}

interface Step {
  readonly step: string;
  readonly text: string;
}

/** After this long without telemetry, the sender has probably stopped. */
const silentMs = 15 * 60_000;
/** The name that OpenTelemetry SDKs give to an unnamed service. */
const unnamed = /^unknown_service(:|$)/;

const firstSteps: readonly Step[] = [
  {
    step: 'create_token',
    text: 'Create an API token with the permission telemetry:ingest, pinned to this project.',
  },
  {
    step: 'configure_exporter',
    text: 'Point an OpenTelemetry SDK at this server: OTEL_EXPORTER_OTLP_ENDPOINT is its address, OTEL_EXPORTER_OTLP_HEADERS is "authorization=Bearer <token>", OTEL_EXPORTER_OTLP_PROTOCOL is http/protobuf.',
  },
  {
    step: 'name_service',
    text: 'Name your program with OTEL_SERVICE_NAME and start it; what it sends is here within seconds.',
  },
];

const missing: Readonly<Record<Signal, string>> = {
  traces:
    'No traces yet: switch on the instrumentation of your HTTP server and clients to follow a request across services.',
  logs: 'No logs yet: add the OpenTelemetry appender of your logging library, so that log lines carry the id of their trace.',
  metrics: 'No metrics yet: set OTEL_METRICS_EXPORTER=otlp to see rates and runtime figures.',
  profiles: 'No profiles yet: send pprof or OTLP profiles to see which functions cost time and memory.',
};

/** What to do next, most useful first. */
export function nextSteps(arrivals: readonly Arrivals[], now: Date): Step[] {
  if (arrivals.length === 0) return [...firstSteps];
  const steps: Step[] = [];
  const last = Math.max(...arrivals.map(({ lastAt }) => lastAt.getTime()));
  const silent = now.getTime() - last;
  if (silent > silentMs)
    steps.push({
      step: 'check_sender',
      text: `Nothing has arrived for ${Math.floor(silent / 60_000)} minutes: check that your programs run and that their token was not revoked.`,
    });
  if (arrivals.some(({ services }) => services.some((service) => unnamed.test(service))))
    steps.push({
      step: 'name_service',
      text: 'A program sends without a name: set OTEL_SERVICE_NAME, so that it does not show up as unknown_service.',
    });
  for (const signal of signals)
    if (!arrivals.some((arrival) => arrival.signal === signal))
      steps.push({ step: `send_${signal}`, text: missing[signal] });
  const service = arrivals.flatMap(({ services }) => services)[0];
  if (arrivals.some(({ signal }) => signal === 'traces') && service !== undefined)
    steps.push({
      step: 'first_query',
      text: 'Ask a question: spans | stats n=count(), p99=p99(duration) by service.name',
    });
  return steps;
}

/** The answer of `telemetry-status`: every signal, also those of which nothing has arrived. */
export function telemetryStatus(arrivals: readonly Arrivals[], now: Date) {
  return {
    arrived: arrivals.length > 0,
    signals: signals.map((signal) => {
      const arrival = arrivals.find((candidate) => candidate.signal === signal);
      return {
        signal,
        arrived: arrival !== undefined,
        last_at: arrival?.lastAt.toISOString() ?? null,
        items: arrival?.items ?? 0,
        services: arrival?.services ?? [],
        sdks: arrival?.sdks ?? [],
      };
    }),
    next_steps: nextSteps(arrivals, now),
  };
}
