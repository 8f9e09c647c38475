import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BodyBudget } from './body-budget.ts';

it('limits each project and the total, and frees released bytes', () => {
  const budget = new BodyBudget({ total: 100, project: 60 });
  const first = budget.hold(1);
  expect(first.more(60)).toBeUndefined();
  expect(budget.hold(1).more(1)).toBe('project');
  const second = budget.hold(2);
  expect(second.more(41)).toBe('total');
  expect(second.more(40)).toBeUndefined();
  first.release();
  first.release();
  expect(budget.used).toBe(40);
  expect(budget.hold(1).more(60)).toBeUndefined();
});

it('never reserves more than its limits, and nothing after all are released', () => {
  const step = fc.record({ project: fc.nat(3), bytes: fc.nat(80), releases: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const budget = new BodyBudget({ total: 200, project: 90 });
      const all = steps.map(({ project, bytes, releases }) => {
        const held = budget.hold(project);
        held.more(bytes);
        expect(budget.used).toBeLessThanOrEqual(200);
        if (releases) held.release();
        return held;
      });
      for (const held of all) held.release();
      expect(budget.used).toBe(0);
    }),
  );
});
