import { describe, expect, it } from 'vitest';
import { Report } from '../../files/report.ts';
import { convertGrowthBook } from './growthbook.ts';
import { convertAll } from './index.ts';
import { convertLaunchDarkly } from './launchdarkly.ts';
import { convertUnleash } from './unleash.ts';

/** The imported flags and the notes about them. */
function imported(converter: Parameters<typeof convertAll>[0], content: unknown) {
  const report = new Report();
  const set = convertAll(converter, [{ name: 'file.json', content }], report);
  const lines = report.notes.map(({ level, where, what }) => `${level} ${where}: ${what}`);
  return { ...set, lines, rules: Object.values(set.flags[0]?.environments ?? {})[0]?.rules ?? [] };
}

const lookahead = '^(?=.*@example\\.com$)';

describe('rules that the server would reject', () => {
  it('are removed from a flag that is imported', () => {
    const clause = (op: string, values: unknown[]) => ({ attribute: 'a', op, values, negate: false });
    const { rules, lines } = imported(convertLaunchDarkly, {
      flags: {
        f: {
          on: true,
          variations: [true, false],
          offVariation: 1,
          salt: 's',
          fallthrough: { variation: 1 },
          rules: [
            { variation: 0, clauses: [clause('matches', [lookahead])] },
            { variation: 0, clauses: [clause('semVerGreaterThan', ['v2'])] },
            { variation: 0, clauses: [clause('before', ['yesterday'])] },
            { variation: 0, clauses: [clause('in', ['x'])] },
          ],
        },
      },
    });
    expect(rules).toMatchObject([{ clauses: [{ op: 'in', values: ['x'] }] }]);
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(
      /^lost flag f, default, rule 1 here: a value is not an RE2 pattern.*; the rule is not imported$/,
    );
  });

  it('are reported for segments too', () => {
    const { segments, lines } = imported(convertLaunchDarkly, {
      flags: {},
      segments: {
        s: {
          included: ['me'],
          rules: [{ clauses: [{ attribute: 'a', op: 'matches', values: ['('], negate: false }] }],
        },
      },
    });
    expect(segments).toMatchObject([{ included: ['me'], rules: [] }]);
    expect(lines).toEqual([expect.stringMatching(/^lost segment s, rule 1 here/)]);
  });

  it('do not include those with an invalid address beside others: nobody is in it', () => {
    const strategy = { name: 'remoteAddress', parameters: { IPs: '10.0.0.1, not-an-address' } };
    const unleash = imported(convertUnleash, {
      version: 1,
      features: [{ name: 'f', enabled: true, strategies: [strategy] }],
    });
    expect(unleash.rules).toMatchObject([{ clauses: [{ op: 'cidr', values: ['10.0.0.1'] }] }]);
    expect(unleash.lines).toEqual([expect.stringContaining('"not-an-address" is no IP address')]);
  });

  it('include texts in order comparisons', () => {
    const growthbook = imported(convertGrowthBook, {
      features: { f: { defaultValue: false, rules: [{ condition: { word: { $gt: 'm' } }, force: true }] } },
    });
    expect(growthbook.rules).toEqual([]);
    expect(growthbook.lines.some((line) => line.startsWith('lost flag f, default, rule 1 here'))).toBe(true);
  });
});
