import { z } from 'zod';
import { isId } from '../../../platform/ids.ts';
import { count, isOn, onOff, secondsInMs, setting } from '../../../platform/settings.ts';

export const selfTelemetrySettings = {
  isOn: setting('FANION_SELF_TELEMETRY', onOff.default('off').transform(isOn), {
    help: '`on`: the server stores its own metrics, requests and warnings in a project, like any other telemetry. See [the guide](guides/operating.md)',
  }),
  projectId: setting(
    'FANION_SELF_TELEMETRY_PROJECT',
    z.string().refine(isId, 'the id of a project').describe('the id of a project').optional(),
    {
      default: 'the project with the key fanion of the oldest workspace, which the server creates',
      help: 'The project that gets it. Members of its workspace see what the server does for all workspaces',
    },
  ),
  everyMs: setting('FANION_SELF_TELEMETRY_SECONDS', count(1, 300).default(15).transform(secondsInMs), {
    help: 'How often the server stores it, in seconds. Below 5, raise the limit of items too: an interval has room for 60 % of it in points',
  }),
  itemsPerSecond: setting('FANION_SELF_TELEMETRY_ITEMS_PER_SECOND', count(10, 10_000).default(200), {
    help: 'Points, spans and log records that one server stores about itself at most, on average over the interval. Further ones are counted in `fanion_self_telemetry_dropped_total`',
  }),
};
