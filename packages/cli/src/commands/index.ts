import type { Command, OwnCommand } from './command.ts';
import { completion } from './completion.ts';
import { drain } from './drain.ts';
import { query } from './query.ts';
import { restore } from './restore.ts';
import { rotateKey } from './rotate-key.ts';
import { serve } from './serve.ts';
import { setup } from './setup.ts';
import { status } from './status.ts';
import { stores } from './stores.ts';
import { createToken } from './token.ts';

/** Every command, in the order of the usage. What a command needs is loaded when it runs. */
export const commands: readonly (Command | OwnCommand)[] = [
  serve,
  stores,
  {
    name: 'demo',
    summary: 'run a small shop that sends telemetry and evaluates flags',
    lasts: true,
    async runWith(argv) {
      const { demoCommand } = await import('@fanion/demo');
      return demoCommand([...argv]);
    },
  },
  setup,
  createToken,
  status,
  query,
  {
    name: 'export',
    summary: 'write flags, alerting, SLOs, dashboards, metrics, releases and experiments to files',
    async runWith(argv, terminal) {
      const { exportCommand } = await import('../files/export-command.ts');
      return exportCommand(argv, terminal);
    },
  },
  {
    name: 'apply',
    summary: 'bring a project and its workspace in line with files',
    async runWith(argv, terminal) {
      const { applyCommand } = await import('../files/apply-command.ts');
      return applyCommand(argv, terminal);
    },
  },
  {
    name: 'import',
    summary: 'import flags, rules, routes or experiments of another product',
    async runWith(argv, terminal) {
      const { importCommand } = await import('../imports/command.ts');
      return importCommand(argv, terminal);
    },
  },
  restore,
  rotateKey,
  drain,
  completion(() => commands),
  {
    name: 'version',
    summary: 'print the version',
    options: {},
    async run(_call, terminal) {
      const { version } = await import('@fanion/server');
      terminal.out(version);
      return 0;
    },
  },
];
