import { describe, expect, it } from 'vitest';
import { Labels } from './primitives.ts';

describe('the labels of a rule', () => {
  it.each(['team', 'service.name', 'k8s.pod/name', '_x', 'severity-level'])('can be called %s', (name) => {
    expect(Labels.safeParse({ [name]: 'x' }).success).toBe(true);
  });
  it.each(['alertname', '__name__', '1 bad', '1bad', 'a b', '', 'a"b', 'a\n', 'é'])('are never called %j', (name) => {
    expect(Labels.safeParse({ [name]: 'x' }).success).toBe(false);
  });
});
