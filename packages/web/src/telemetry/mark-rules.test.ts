import { parse } from '@fanion/oql/syntax';
import { describe, expect, it } from 'vitest';
import { changedFlags, concerns, evaluatedQuery } from './mark-rules.ts';

const flags = { asked: ['tax', 'banner'], evaluated: new Set(['tax']) };
const subject = { service: 'payments', flags };

describe('a chart of a service marks', () => {
  it.each([
    ['its own deploy', { kind: 'deploy', service: 'payments', flag: null }, true],
    ['no deploy of another service', { kind: 'deploy', service: 'frontend', flag: null }, false],
    ['its own alert', { kind: 'alert', service: 'payments', flag: null }, true],
    ['no alert of another service', { kind: 'alert', service: 'frontend', flag: null }, false],
    ['no alert without a service', { kind: 'alert', service: null, flag: null }, false],
    ['a change of a flag that its traces evaluate', { kind: 'flag', service: null, flag: 'tax' }, true],
    ['no change of another flag', { kind: 'flag', service: null, flag: 'banner' }, false],
    ['no rollback of another flag', { kind: 'rollback', service: null, flag: 'banner' }, false],
    ['a change of a flag that was not looked for', { kind: 'ramp', service: null, flag: 'older' }, true],
    ['a note about it', { kind: 'manual', service: 'payments', flag: null }, true],
    ['a note about the whole project', { kind: 'manual', service: null, flag: null }, true],
    ['no note about another service', { kind: 'manual', service: 'frontend', flag: null }, false],
  ] as const)('%s', (_, annotation, expected) => {
    expect(concerns(annotation, subject)).toBe(expected);
  });

  it('no change of a flag before it is known which flags are evaluated', () => {
    expect(concerns({ kind: 'flag', service: null, flag: 'tax' }, { ...subject, flags: undefined })).toBe(false);
  });
});

it('looks for each changed flag once, for at most eight', () => {
  const changes = Array.from({ length: 30 }, (_, index) => ({ flag: index % 2 === 0 ? null : `flag-${index % 20}` }));
  expect(changedFlags([{ flag: 'tax' }, ...changes, { flag: 'tax' }])).toEqual([
    'tax',
    'flag-1',
    'flag-3',
    'flag-5',
    'flag-7',
    'flag-9',
    'flag-11',
    'flag-13',
  ]);
});

it('looks for the most flags with a valid query', () => {
  const query = evaluatedQuery(
    'the "payments" service',
    Array.from({ length: 8 }, (_, index) => `flag-${index}`),
  );
  expect(parse(query).findings).toEqual([]);
});
