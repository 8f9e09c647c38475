import { afterAll, expect, it } from 'vitest';
import { fail } from '../../../../platform/fail.ts';
import { type Compiler, createCompiler } from '../../../../platform/gateway/index.ts';
import { convertGrafana } from './convert.ts';

const compiler = createCompiler({ budgetMs: 60_000 });
afterAll(() => compiler.stop());

const asked = { workspace: 1, signal: new AbortController().signal, maxPanels: 200 };
const panel = (id: number, expr: string, legendFormat = '') => ({
  ...{ id, type: 'timeseries', title: expr.slice(0, 20), gridPos: { x: 0, y: 0, w: 12, h: 8 } },
  ...{ datasource: { type: 'prometheus' }, targets: [{ expr, legendFormat }] },
});
const convert = (panels: object[], own: Pick<Compiler, 'translatePromql'> = compiler) =>
  convertGrafana({ title: 'Node', panels }, own, asked);

it('translates every expression in a thread, so that a dashboard blocks no other request', async () => {
  const before = compiler.stats().inThread;
  const labels = Array.from({ length: 100 }, (_, i) => `l${i}="v"`).join(',');
  const imported = await convert([panel(1, 'up'), panel(2, `a{${labels}}`), panel(3, 'sum(')]);
  expect(imported).toMatchObject({ report: [{ kept: true }, { kept: true }, { kept: false }] });
  expect(compiler.stats().inThread).toBe(before + 3);
});

it('loses only the panel whose expression takes too long, or whose legend is too long', async () => {
  const own: Pick<Compiler, 'translatePromql'> = {
    translatePromql: async (text, options, who) => {
      if (text === 'slow') throw fail('QUERY_TOO_EXPENSIVE', { reason: 'compiling it takes too long' });
      return compiler.translatePromql(text, options, who);
    },
  };
  const imported = await convert([panel(1, 'slow'), panel(2, 'up', '{{a}}'.repeat(2_000)), panel(3, 'up')], own);
  expect(imported).toMatchObject({
    model: { panels: [{ id: 'panel-3' }] },
    report: [
      { kept: false, losses: [expect.stringContaining('compiling it takes too long')] },
      { kept: false, losses: ['its PromQL has no equal: the legend is longer than 8192 characters'] },
      { kept: true },
    ],
  });
});
