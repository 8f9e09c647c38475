import { allRoutes } from '@fanion/contract';
import { expect, it } from 'vitest';
import { areaOf, isWrite } from './client.ts';

it('counts only requests that change something as writes', () => {
  const writes = new Set(allRoutes.filter(isWrite).map(({ id }) => id));
  for (const id of [
    'flags.update',
    'alert_rules.update',
    'dashboards.replace',
    'flag_changes.approve',
    'flags.set_targeting',
  ])
    expect(writes, id).toContain(id);
  for (const id of [
    'flags.get',
    'query.run',
    'alert_rules.preview',
    'dashboards.preview',
    'flags.evaluate',
    'flags.replay',
  ])
    expect(writes, id).not.toContain(id);
});

it('names the area of a route', () => {
  expect(areaOf('alert_rules.update')).toBe('alert_rules');
});
