import { expect, it } from 'vitest';
import type { Operation } from '../simulation/operation.ts';
import { createInstance, deploymentAt } from './instances.ts';
import { createProfiling, profilesRequest } from './profiling.ts';

const at = Date.UTC(2026, 10, 20, 12);
const operation: Operation = {
  service: 'frontend',
  kind: 'server',
  name: 'GET /',
  start: at,
  end: at + 10,
  attributes: {},
  events: [],
  logs: [],
  flagUses: [],
  measurements: [],
  children: [],
  links: [],
};

it('samples the code of an operation with its span, and the hint only where it is shown', () => {
  const profiling = createProfiling(createInstance('frontend', deploymentAt('frontend', at)), at);
  const span = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
  profiling.record(operation, { span: undefined, hints: false });
  profiling.record(operation, { span, hints: true });
  const profile = profiling.collect(at + 1_000);
  if (profile === undefined) throw new Error('nothing was sampled');
  const request = profilesRequest([profile]);
  expect(request).toMatchObject({ dictionary: { linkTable: [{}, span] } });
  const text = JSON.stringify(request);
  expect(text.match(/"linkIndex":1/g)).toHaveLength(5);
  expect(text.match(/"stackIndex"/g)).toHaveLength(9);
  expect(text).toContain('renderHint');
});
