import { count, type SettingsOf, setting } from '../../../platform/settings.ts';

export type TailLimits = SettingsOf<typeof tailSettings>;

export const tailSettings = {
  ofWorkspace: setting('FANION_TAILS_PER_WORKSPACE', count(1, 500).default(10), {
    help: 'Live tails that one workspace may have open on a server, those of the Loki API included',
  }),
};
