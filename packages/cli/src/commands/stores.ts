import { resolve } from 'node:path';
import { UsageError } from '../files/connection-options.ts';
import type { Command } from './command.ts';

/** Prints the environment variables that the servers need. The control plane listens on a Unix socket in the data directory. */
export const stores: Command = {
  name: 'stores',
  summary: 'run only the embedded stores, so that several servers on this machine can share them',
  example: 'fanion stores --data /var/lib/fanion',
  lasts: true,
  options: {
    data: { type: 'string', value: 'DIR', help: 'data directory; FANION_DATA_DIR, else ./data' },
    clickhouse: { type: 'boolean', help: 'only the telemetry store' },
    postgres: { type: 'boolean', help: 'only the control plane' },
    port: { type: 'string', value: 'PORT', help: 'of the telemetry store (default: any that is free)' },
    password: { type: 'string', value: 'TEXT', help: 'of the telemetry store (default: a random one)' },
  },
  async run({ texts, flags }, terminal) {
    const port = texts.port === undefined ? undefined : Number(texts.port);
    if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= 65_535))
      throw new UsageError(`--port must be a number from 0 to 65535: ${texts.port}`);
    const both = !flags.has('clickhouse') && !flags.has('postgres');
    const { runStores } = await import('@fanion/server');
    return runStores({
      dataDir: resolve(texts.data ?? terminal.env.FANION_DATA_DIR ?? './data'),
      clickhouse: both || flags.has('clickhouse'),
      postgres: both || flags.has('postgres'),
      port,
      password: texts.password,
    });
  },
};
