import type { Command } from './command.ts';

export const demo: Command = {
  name: 'demo',
  summary: 'run a small shop that sends telemetry and evaluates flags',
  example: 'fanion demo --backfill 1h',
  lasts: true,
  options: {
    endpoint: { type: 'string', value: 'URL', help: 'of the server (default: http://127.0.0.1:8080)' },
    backfill: {
      type: 'string',
      value: 'DURATION',
      help: 'write this much history first, such as 90m, 24h, 7d; 0 for none (default: 24h for a new account, else 0)',
    },
    rate: {
      type: 'string',
      value: 'N',
      help: 'visits per second at the busiest time of day; each leaves 5 to 25 spans (default: 2)',
    },
    'backfill-rate': {
      type: 'string',
      value: 'N',
      help: 'visits per second of the history (default: --rate, at most 2)',
    },
    seed: { type: 'string', value: 'N', help: 'equal seeds give equal traffic (default: 1)' },
    once: { type: 'boolean', help: 'after the history, make one visit of each kind and exit' },
    email: { type: 'string', value: 'ADDRESS', help: 'of the demo account' },
    password: { type: 'string', value: 'TEXT', help: 'of the demo account' },
    workspace: { type: 'string', value: 'SLUG', help: 'of that account (default: its first one)' },
    token: {
      type: 'string',
      value: 'svc_pat_…',
      help: 'an API token with telemetry:ingest; the demo then creates nothing',
    },
    'sdk-key': {
      type: 'string',
      value: 'svc_sdk_…',
      help: 'an SDK key, with --token; without it the flags keep their defaults',
    },
  },
  notes: `Without --token it signs up a demo account on the server (or logs in to it) and prints how to sign in.

Exit codes: 0 stopped, or done with --once; 1 a failure; 2 a mistake in the call`,
  async run({ texts, flags }) {
    const { demoCommand } = await import('@fanion/demo');
    return demoCommand({ ...texts, once: flags.has('once') });
  },
};
