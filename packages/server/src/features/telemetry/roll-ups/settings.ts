import { isOn, onOff, setting } from '../../../platform/settings.ts';

export const rollUpSettings = {
  enabled: setting('FANION_METRIC_ROLLUPS', onOff.default('on').transform(isOn), {
    help: 'Whether this server rolls up metrics by five minutes and by hour for queries of long windows. With `off`, long windows read points, except for hours that are already rolled up',
  }),
};
