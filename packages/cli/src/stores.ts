import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

/**
 * `fanion stores`: runs the embedded stores without a server, for several servers on one machine. Prints the environment
 * variables that those servers need. The control plane listens on a Unix socket in the data directory.
 */
export async function storesCommand(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      data: { type: 'string', default: process.env.FANION_DATA_DIR ?? './data' },
      clickhouse: { type: 'boolean' },
      postgres: { type: 'boolean' },
      port: { type: 'string' },
      password: { type: 'string' },
    },
  });
  const both = !values.clickhouse && !values.postgres;
  const { runStores } = await import('@fanion/server');
  return runStores({
    dataDir: resolve(values.data),
    clickhouse: both || values.clickhouse === true,
    postgres: both || values.postgres === true,
    port: values.port === undefined ? undefined : Number(values.port),
    password: values.password,
  });
}
