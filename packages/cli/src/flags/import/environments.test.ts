import { describe, expect, it } from 'vitest';
import { Report } from '../../files/report.ts';
import { FlagDocument } from '../document.ts';
import { mapEnvironments, parseEnvironmentMap, WrongEnvironments } from './environments.ts';

const served = { enabled: true, fallthrough: { variant: 'true' } };
const flag = FlagDocument.parse({
  key: 'f',
  kind: 'boolean',
  variants: [{ key: 'true', value: true }],
  environments: { prod: served, qa: served },
});
const map = (option: string, known: readonly string[] | undefined, report = new Report()) =>
  mapEnvironments([flag], parseEnvironmentMap(option === '' ? undefined : option) ?? new Map(), known, report);
const ours = ['production', 'development'];

describe('the environment map', () => {
  it('renames environments, skips those mapped to nothing, and reports those that the project lacks', () => {
    const report = new Report();
    expect(Object.keys(map('prod=production', ours, report)[0]?.environments ?? {})).toEqual(['production']);
    expect(report.notes.map(({ where }) => where)).toEqual(['environment qa']);
    expect(Object.keys(map('prod=,qa=development', ours)[0]?.environments ?? {})).toEqual(['development']);
  });

  it.each([
    [
      'an environment that the file does not have',
      'live=production',
      ours,
      'the file has no environment "live"; it has prod, qa',
    ],
    ['the same without a server', 'live=production', undefined, 'the file has no environment "live"'],
    ['an environment that the project does not have', 'prod=live', ours, 'the project has no environment "live"'],
    ['nothing, and no environment is in both', '', ours, "none of the file's environments (prod, qa)"],
  ])('is rejected when it names %s', (_, option, known, message) => {
    expect(() => map(option, known)).toThrow(WrongEnvironments);
    expect(() => map(option, known)).toThrow(message);
  });
});
