import type { Command } from './command.ts';

/** For the request of a person to be forgotten. */
export const erase: Command = {
  name: 'erase',
  summary: "delete a person's telemetry from a project",
  example: 'fanion erase --attribute user.id=8f3a --project shop --yes',
  connects: true,
  options: {
    attribute: { type: 'string', value: 'NAME=VALUE', help: 'what the rows to delete have' },
    yes: { type: 'boolean', help: 'do it; without it, only say what would be deleted' },
    wait: { type: 'boolean', help: 'end only when it is deleted from all tables' },
    json: { type: 'boolean', help: 'print JSON' },
  },
  notes: `Deletes spans, log records, metric series, exemplars and profile samples that have the attribute with this value. With
feature_flag.context.id, also the exposures and experiment units of this unit. The token needs projects:write.

Exit codes: 0 ordered, with --wait done; 1 failed; 2 a mistake in the call`,
  async run(call, terminal) {
    const { eraseAttribute } = await import('./erase-attribute.ts');
    return eraseAttribute(call, terminal);
  },
};
