import { folders } from '../files/kind-folders.ts';
import type { Command, Option } from './command.ts';

export const kindsOption: Option = { type: 'string', value: 'A,B', help: `only these: ${folders.join(', ')}` };

export const exportCommand: Command = {
  name: 'export',
  summary: 'write flags, alerting, SLOs, dashboards, metrics, releases and experiments to files',
  example: 'fanion export --project shop --dir shop',
  connects: true,
  options: {
    dir: { type: 'string', value: 'DIR', help: 'target directory (default: the working directory)' },
    kinds: kindsOption,
    format: { type: 'string', value: 'yaml|json', help: 'file format (default: yaml)' },
  },
  notes: 'Exit codes: 0 written, 1 a failure, 2 a mistake in the call',
  async run(call, terminal) {
    const { exportFiles } = await import('../files/export.ts');
    return exportFiles(call, terminal);
  },
};
