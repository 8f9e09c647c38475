import { DashboardModel } from '@fanion/contract';
import { describe, expect, it } from 'vitest';
import { loopProblems, problemsOf } from './model-rules.ts';

const limits = { panels: 200, bytes: 524_288 };
const place = { x: 0, y: 0, w: 12, h: 8 };
const panel = { id: 'a', type: 'stat', query: 'spans | count', ...place };

function problems(model: object): string[] {
  const { panels, variables } = DashboardModel.parse({ name: 'Shop', panels: [panel], ...model });
  return problemsOf({ panels, variables }, limits).map(({ path, message }) => `${path}: ${message}`);
}

describe('a model of a dashboard', () => {
  it('is accepted with a query that does not parse, since its panel shows the error', () => {
    expect(problems({ panels: [{ ...panel, query: 'spans | wher' }] })).toEqual([]);
  });

  it('is accepted with links that lead in a circle, since nothing follows them', () => {
    expect(problems({ links: [{ title: 'This dashboard', url: '/dashboards/1' }] })).toEqual([]);
  });

  it.each<[string, object, string]>([
    [
      '1,000 panels',
      { panels: Array.from({ length: 1_000 }, (_, at) => ({ ...panel, id: `p${at}` })) },
      'panels: at most 200 panels',
    ],
    ['two panels with one id', { panels: [panel, panel] }, 'panels: two panels have the id a'],
    [
      'a panel that ends outside',
      { panels: [{ ...panel, x: 20, w: 5 }] },
      'panels.0.w: the panel ends right of column 24: make x or w smaller',
    ],
    [
      'a panel without its query',
      { panels: [{ ...place, id: 'a', type: 'stat' }] },
      'panels.0.query: a panel of the type stat needs query',
    ],
    [
      'a text without text',
      { panels: [{ ...place, id: 'a', type: 'text' }] },
      'panels.0.text: a panel of the type text needs text',
    ],
    [
      'an axis that is upside down',
      { panels: [{ ...panel, min: 5, max: 1 }] },
      'panels.0.max: must be greater than min',
    ],
    [
      'a text that is split by a flag',
      { panels: [{ ...place, id: 'a', type: 'text', text: '', split: { flag: 'new-checkout' } }] },
      'panels.0.split: a panel of the type text cannot be split by a flag',
    ],
    [
      'two variables with one name',
      {
        variables: [
          { name: 'a', type: 'query', query: 'spans' },
          { name: 'a', type: 'query', query: 'logs' },
        ],
      },
      'variables: two variables have the name a',
    ],
    [
      'a list without values',
      { variables: [{ name: 'a', type: 'list' }] },
      'variables.0.values: a variable of the type list needs values',
    ],
    [
      'an invalid interval',
      { variables: [{ name: 'a', type: 'interval', values: ['soon'] }] },
      'variables.0.values: must be durations such as 1m or 5m',
    ],
    [
      'several projects',
      { variables: [{ name: 'a', type: 'project', multi: true }] },
      'variables.0.multi: a variable of the type project has one value',
    ],
    [
      'several defaults of one value',
      { variables: [{ name: 'a', type: 'text', default: ['x', 'y'] }] },
      'variables.0.default: several values need multi',
    ],
    [
      'too many bytes',
      {
        panels: [
          { ...place, id: 't', type: 'text', text: 'x'.repeat(65_536) },
          ...Array.from({ length: 9 }, (_, at) => ({ ...place, id: `t${at}`, type: 'text', text: 'x'.repeat(65_536) })),
        ],
      },
      'panels: the dashboard is larger than 524288 bytes: shorten texts or queries',
    ],
  ])('is refused with %s', (_, model, problem) => {
    expect(problems(model)).toEqual([problem]);
  });

  it.each<[string, Readonly<Record<string, readonly string[]>>, readonly string[]]>([
    ['a chain of variables', { a: ['b'], b: ['c'], c: [] }, []],
    ['a variable that is not defined', { a: ['b'] }, []],
    ['a variable that needs itself', { a: ['a'] }, ['a → a']],
    ['a loop', { x: ['a'], a: ['b'], b: ['c'], c: ['a'] }, ['a → b → c → a']],
  ])('shows %s', (_, uses, loops) => {
    expect(loopProblems(new Map(Object.entries(uses)))).toEqual(
      loops.map((loop) => ({ path: 'variables', message: `variables need each other in a loop: ${loop}` })),
    );
  });

  it.each([
    { type: 'hologram', ...place, id: 'a' },
    { ...panel, id: 'has spaces' },
    { ...panel, x: -1 },
    { ...panel, links: [{ title: 'x', url: 'javascript:alert(1)' }] },
    { ...panel, links: [{ title: 'x', url: '//evil.example' }] },
    { ...panel, colour: 'red' },
  ])('is refused by its form: %j', (wrong) => {
    expect(DashboardModel.safeParse({ name: 'Shop', panels: [wrong] }).success).toBe(false);
  });
});
