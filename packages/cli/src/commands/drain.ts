import { setTimeout as delay } from 'node:timers/promises';
import { connectionOptions, endpointOf, UsageError } from '../files/connection-options.ts';
import { secretVariable } from '../files/secret-variable.ts';
import type { Command } from './command.ts';

const pollMs = 250;

/** For the moment before a server is taken away: its log is on its own disk. */
export const drain: Command = {
  name: 'drain',
  summary: 'wait until everything that a server has acknowledged is stored',
  example: 'fanion drain --timeout 600',
  options: {
    endpoint: connectionOptions.endpoint,
    timeout: { type: 'string', value: 'SECONDS', help: 'longest wait (default: 300)' },
  },
  notes: `Take the server out of its load balancer first: it goes on accepting telemetry. From another machine than the server's, set
FANION_METRICS_TOKEN as the server has it.

Exit codes: 0 all is stored; 1 not within the time, or out of reach; 2 a mistake in the call`,
  async run({ texts }, terminal) {
    const seconds = texts.timeout === undefined ? 300 : Number(texts.timeout);
    if (!(seconds > 0)) throw new UsageError('--timeout must be a number of seconds above 0');
    const url = `${endpointOf(texts, terminal.env)}/internal/metrics`;
    const token = secretVariable('FANION_METRICS_TOKEN', terminal.env);
    const request = token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } };
    const end = Date.now() + seconds * 1_000;
    for (;;) {
      const answer = await fetch(url, request).catch(() => undefined);
      if (answer === undefined || !answer.ok) {
        terminal.err(`fanion drain: ${url} ${answer === undefined ? 'cannot be reached' : `answers ${answer.status}`}`);
        return 1;
      }
      const left = numberOf(await answer.text(), 'fanion_wal_bytes');
      if (left === 0) {
        terminal.out('everything that was acknowledged is stored');
        return 0;
      }
      if (Date.now() > end) {
        terminal.err(`fanion drain: after ${seconds} s, ${left} bytes of the write-ahead log are not stored`);
        return 1;
      }
      await delay(pollMs);
    }
  },
};

function numberOf(metrics: string, name: string): number {
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1]);
}
