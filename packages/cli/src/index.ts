import { endWithParent } from './end-with-parent.ts';
import { restoreCommand } from './restore.ts';
import { storesCommand } from './stores.ts';

const usage = `fanion: observability and feature flags in one server

  fanion serve                     run the server (configured by FANION_… variables, see docs/configuration.md)
  fanion stores [--clickhouse] [--postgres]
                                   run only the embedded stores, so that several servers can share them
  fanion demo [--backfill 24h]     run a small shop that sends telemetry and evaluates flags
  fanion restore <snapshot>        restore the embedded control plane from a snapshot
  fanion rotate-key                replace the secret key, and encrypt stored secrets again
  fanion export [--dir .]          write flags, alerting, SLOs, dashboards, metrics, releases and experiments to files
  fanion apply -f DIR              bring a project and its workspace in line with the files (--dry-run, --yes, --prune)
  fanion import <product> FILE     import flags from launchdarkly, unleash, flagd or growthbook (--environment-map theirs=ours)
  fanion import prometheus-rules FILE…
                                   import alerting and recording rules; PromQL becomes OQL
  fanion import alertmanager FILE  import routes, receivers and inhibition rules
  fanion import growthbook-experiments FILE…
                                   import metrics and experiments
                                   export, apply, import: --endpoint, --token (FANION_TOKEN), --workspace, --project
  fanion version
`;

/** Commands that run until they are stopped. */
const lasting = new Set(['serve', 'stores', 'demo']);

/** Runs one command and returns its exit code. */
export async function run(argv: readonly string[]): Promise<number> {
  const [command, ...rest] = argv;
  if (rest.includes('--help') && ['restore', 'stores', 'serve', 'rotate-key'].includes(command ?? '')) {
    console.log(usage);
    return 0;
  }
  if (command !== undefined && lasting.has(command)) {
    endWithParent();
    // When the reader of the output exits, keep running until everything is written.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  }
  switch (command) {
    case 'serve': {
      const { serve } = await import('@fanion/server');
      return serve();
    }
    case 'stores':
      return storesCommand(rest);
    case 'demo': {
      const { demoCommand } = await import('@fanion/demo');
      return demoCommand(rest);
    }
    case 'restore':
      return restoreCommand(rest);
    case 'rotate-key': {
      const { rotateKeyCommand } = await import('./rotate-key.ts');
      return rotateKeyCommand(rest);
    }
    case 'export': {
      const { exportCommand } = await import('./files/export-command.ts');
      return exportCommand(rest);
    }
    case 'apply': {
      const { applyCommand } = await import('./files/apply-command.ts');
      return applyCommand(rest);
    }
    case 'import': {
      const { importCommand } = await import('./imports/command.ts');
      return importCommand(rest);
    }
    case 'version': {
      const { version } = await import('@fanion/server');
      console.log(version);
      return 0;
    }
    case undefined:
    case 'help':
    case '--help':
      console.log(usage);
      return 0;
    default:
      console.error(`fanion: unknown command "${command}"\n\n${usage}`);
      return 2;
  }
}
