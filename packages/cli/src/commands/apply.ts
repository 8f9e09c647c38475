import type { Command } from './command.ts';
import { kindsOption } from './export.ts';

export const apply: Command = {
  name: 'apply',
  summary: 'bring a project and its workspace in line with files',
  example: 'fanion apply -f shop --project shop --dry-run',
  connects: true,
  options: {
    file: { type: 'string', short: 'f', value: 'DIR', help: 'directory of the files, as fanion export writes it' },
    kinds: kindsOption,
    'dry-run': { type: 'boolean', help: 'show what would change and write nothing' },
    yes: { type: 'boolean', short: 'y', help: 'do not ask for confirmation' },
    prune: {
      type: 'boolean',
      help: 'archive flags and delete everything else that has no file, of kinds that have a folder',
    },
    'update-secrets': {
      type: 'boolean',
      help: 'also send the secrets of channels that the server has already, from their variables',
    },
    comment: { type: 'string', value: 'TEXT', help: 'comment for the history of flags' },
  },
  notes: 'Exit codes: 0 in line, 1 a problem or a failed change, 2 a mistake in the call',
  async run(call, terminal) {
    const { applyFiles } = await import('../files/apply.ts');
    return applyFiles(call, terminal);
  },
};
