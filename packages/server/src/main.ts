import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { App } from './compose.ts';
import { ConfigError, readConfig, unknownVariables } from './config.ts';
import { systemClock } from './platform/clock.ts';
import { createLog } from './platform/log.ts';
import { createLogLines } from './platform/log-lines.ts';
import { openStores, untilToldToStop } from './stores.ts';

const webDirectory = join(dirname(createRequire(import.meta.url).resolve('@fanion/web/package.json')), 'dist', 'app');
/** After the time to drain, the process exits so late even if the stop is not complete; acknowledged data is in the write-ahead log. */
const stopWithinMs = 23_000;

/**
 * `fanion serve`: runs until it receives a stop signal; returns the exit code.
 * @param evaluator the process with a channel to the one that evaluates flags, if that has started this one
 */
export async function serve(evaluator?: NodeJS.Process): Promise<number> {
  const told = untilToldToStop();
  let app: App | undefined;
  let drainMs = 0;
  try {
    const config = readConfig(process.env);
    const logLines = config.selfTelemetry.isOn ? createLogLines() : undefined;
    const log = createLog(config.logLevel, logLines);
    drainMs = config.drainMs;
    if (evaluator === undefined && config.evaluationProcess && config.roles.has('flags')) {
      const { serveWithEvaluator } = await import('./compose/evaluator.ts');
      return await serveWithEvaluator(config, { log, clock: systemClock, told });
    }
    for (const variable of unknownVariables(process.env))
      log.warn({ variable }, 'unknown environment variable: it has no effect');
    // The stores start in their own processes while this one reads the rest of its code.
    const stores = openStores(config, log);
    stores.catch(() => {});
    const { compose } = await import('./compose.ts');
    app = await compose(config, {
      log,
      clock: systemClock,
      stores,
      evaluator,
      logLines,
      webDirectory: existsSync(webDirectory) ? webDirectory : undefined,
    });
    await app.listen();
    console.log(banner(app));
  } catch (error) {
    if (error instanceof ConfigError) console.error(`Invalid configuration:\n${error.message}`);
    else console.error(error instanceof Error ? error.message : error);
    await app?.stop();
    return 1;
  }
  // Whoever presses Ctrl-C does not want to wait, and no load balancer is in front of him.
  if ((await told) !== 'SIGTERM') drainMs = 0;
  const late = setTimeout(() => process.exit(1), drainMs + stopWithinMs);
  await app.drain(drainMs);
  await app.stop();
  clearTimeout(late);
  return 0;
}

function banner(app: App): string {
  return `
  Fanion is ready: ${app.url}

  Sign up there, or:   curl -X POST ${app.url}/api/v1/auth/signup -H 'content-type: application/json' \\
                         -d '{"email":"you@example.com","password":"a-long-password","name":"You"}'
  Point an OpenTelemetry SDK at it (the first-steps page creates the token):
    OTEL_EXPORTER_OTLP_ENDPOINT=${app.url}
    OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer svc_pat_…"
`;
}
