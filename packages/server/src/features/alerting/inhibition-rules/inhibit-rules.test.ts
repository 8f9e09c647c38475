import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Labels, Matcher } from '../matchers/index.ts';
import { compileInhibitionRule, createInhibitor, type InhibitionRule } from './inhibit-rules.ts';

const is = (name: string, value: string): Matcher => ({ name, op: '=', value });
const isNot = (name: string, value: string): Matcher => ({ name, op: '!=', value });

function inhibits(rules: readonly InhibitionRule[], firing: readonly Labels[], target: Labels): boolean {
  const alerts = firing.map((labels, i) => ({ id: `firing ${i}`, labels }));
  return (
    createInhibitor(rules.map(compileInhibitionRule), alerts).inhibitedBy({ id: 'target', labels: target }).alerts
      .length > 0
  );
}

/**
 * The cases of TestInhibitRuleHasEqual, TestInhibitRuleMatches, TestInhibitRuleMatchers and TestInhibit in Alertmanager's
 * inhibit/inhibit_test.go (https://github.com/prometheus/alertmanager at 68fb2d5, Apache-2.0, The Prometheus Authors), in our form. Its
 * alerts that have resolved are left out of those that fire here.
 */
describe('inhibition decides as Alertmanager does', () => {
  const equalOnly = (...equal: string[]): InhibitionRule => ({
    id: 'r',
    source: [isNot('is', 'target')],
    target: [is('is', 'target')],
    equal,
  });
  it.each([
    ['without a source', equalOnly(), [], { a: 'b' }, false],
    ['by any source where no label has to be equal', equalOnly(), [{}], { a: 'b' }, true],
    ['by sources that have resolved', equalOnly('a', 'b'), [], { a: 'b', b: 'c' }, false],
    ['by a source with the equal label', equalOnly('a'), [{ a: 'b', c: 'f' }], { a: 'b' }, true],
    ['by a source with another label', equalOnly('a'), [{ a: 'c', c: 'd' }], { a: 'b' }, false],
  ] as const)('%s', (_name, rule, firing, target, expected) => {
    expect(inhibits([rule], firing, { ...target, is: 'target' })).toBe(expected);
  });

  const sources: Labels[] = [
    { s1: '1', t1: '2', e: '1' },
    { s2: '1', t2: '1', e: '1' },
  ];
  const targets: Labels[] = [
    { t1: '1', e: '1' },
    { t2: '1', e: '1' },
    { t1: '1', t3: '1', e: '1' },
    { t1: '1', t2: '1', e: '1' },
    { t1: '0', e: '1' },
    { s1: '1', t1: '1', e: '1' },
    { s2: '1', t2: '1', e: '1' },
    { t1: '1', e: '0' },
  ];
  it.each([
    ['equality', is('t1', '1'), [true, true, true, true, false, true, false, false]],
    // The alert that the second rule takes for its source matches the target of the first one as well.
    ['inequality', isNot('t1', '1'), [false, true, false, true, true, false, true, false]],
  ] as const)('with matchers of %s', (_name, target1, expected) => {
    const rules = [
      { id: '1', source: [is('s1', '1')], target: [target1], equal: ['e'] },
      { id: '2', source: [is('s2', '1')], target: [is('t2', '1')], equal: ['e'] },
    ];
    expect(targets.map((target) => inhibits(rules, sources, target))).toEqual(expected);
  });

  const simple = { id: 'r', source: [is('s', '1')], target: [is('t', '1')], equal: ['e'] };
  const [one, two] = [
    { t: '1', e: 'f' },
    { s: '1', e: 'f' },
  ];
  it.each([
    ['one', [one], one, false],
    ['both: the target is inhibited', [one, two], one, true],
    ['both: the source is not', [one, two], two, false],
    ['one after the source resolved', [one], one, false],
  ] as const)('while there is %s', (_name, firing, target, expected) => {
    expect(inhibits([simple], firing, target)).toBe(expected);
  });
});

describe('inhibition', () => {
  const critical: InhibitionRule = {
    id: 'critical',
    source: [is('severity', 'critical')],
    target: [{ name: 'severity', op: '=~', value: 'warning|info' }],
    equal: ['service.name', 'region'],
  };

  it('treats a label that both lack as equal, and one that only one has as different', () => {
    const source = { severity: 'critical', 'service.name': 'cart' };
    expect(inhibits([critical], [source], { severity: 'info', 'service.name': 'cart' })).toBe(true);
    expect(inhibits([critical], [source], { severity: 'info', 'service.name': 'cart', region: 'eu' })).toBe(false);
    expect(inhibits([critical], [source], { severity: 'info', 'service.name': 'cart', region: '' })).toBe(true);
  });

  it('names the rules and at most five alerts', () => {
    const firing = Array.from({ length: 8 }, (_, i) => ({ id: `f${i}`, labels: { severity: 'critical', n: `${i}` } }));
    const inhibitor = createInhibitor([compileInhibitionRule(critical)], firing);
    expect(inhibitor.inhibitedBy({ id: 'x', labels: { severity: 'info' } })).toEqual({
      rules: ['critical'],
      alerts: ['f0', 'f1', 'f2', 'f3', 'f4'],
    });
  });

  it('never lets an alert inhibit itself, whatever the rule', () => {
    const value = fc.constantFrom('', '1', '2');
    const matchers = fc.array(
      fc.record({ name: fc.constantFrom('a', 'b'), op: fc.constantFrom('=' as const, '!=' as const), value }),
      { maxLength: 2 },
    );
    const rule = fc.record({
      id: fc.constant('r'),
      source: matchers,
      target: matchers,
      equal: fc.subarray(['a', 'b']),
    });
    fc.assert(
      fc.property(rule, fc.record({ a: value, b: value }), (one, labels) => {
        const alert = { id: 'self', labels };
        expect(createInhibitor([compileInhibitionRule(one)], [alert]).inhibitedBy(alert).alerts).toEqual([]);
      }),
    );
  });
});
