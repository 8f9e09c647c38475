import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bindChanges, type Compiled, compile } from './compile.ts';
import { compileRelation } from './compile-relation.ts';
import type { ChangeRow } from './print/changes.ts';
import { decodeRow } from './result.ts';
import { boundForEngine, type Engine, startEngine } from './testing/engine.ts';
import { NOW, SCOPE, WINDOW } from './testing/fixture.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

const startMs = Number(WINDOW.fromNs / 1_000_000n);
const at = (minutes: number) => startMs + minutes * 60_000;
const time = (minutes: number) => new Date(at(minutes)).toISOString().replace('.000Z', 'Z');
const change = (
  time: number,
  kind: string,
  text: string,
  more: { service?: string; flag?: string } = {},
): ChangeRow => [
  ...([time, null, kind, text, more.service ?? '', more.flag ?? ''] as const),
  ...(['', '', 'Ada', ['a', "it's"], 'shop', 'production', `${time}`] as const),
];
const rows: readonly ChangeRow[] = [
  change(at(5), 'flag', 'new-checkout: targeting changed', { flag: 'new-checkout' }),
  change(at(10), 'deploy', `cart 1.2.0 "quoted" 'so'`, { service: 'cart' }),
  change(at(20), 'manual', 'Black Friday\nbegins'),
  change(at(-5), 'manual', 'before the window'),
];

function compiled(text: string): Compiled {
  const result = compile(text, { scope: SCOPE, window: WINDOW, limit: 100, nowNs: NOW });
  if (!result.ok) throw new Error(JSON.stringify(result.diagnostics));
  return result;
}

async function ask(text: string, of = rows) {
  const plan = bindChanges(compiled(text), of);
  const found = await engine.select(plan.sql, boundForEngine(plan.params), plan.settings);
  return found.map((row) => decodeRow(plan.columns, row));
}

describe('changes', () => {
  it('are those of the window, with their texts unchanged', async () => {
    expect(await ask('changes | sort time | fields time, kind, text, service.name, tags')).toEqual([
      [time(5), 'flag', 'new-checkout: targeting changed', null, ['a', "it's"]],
      [time(10), 'deploy', `cart 1.2.0 "quoted" 'so'`, 'cart', ['a', "it's"]],
      [time(20), 'manual', 'Black Friday\nbegins', null, ['a', "it's"]],
    ]);
  });

  it('can be filtered, grouped and counted', async () => {
    expect(await ask('changes | where kind in ("flag", "deploy") | stats n=count() by kind | sort kind')).toEqual([
      ['deploy', 1],
      ['flag', 1],
    ]);
    expect(await ask('changes | stats n=count() by bucket(15m) | sort time')).toHaveLength(2);
  });

  it('can be joined with telemetry and used in a sub-query', async () => {
    const joined =
      'logs | stats n=count() by service.name | join left (changes | where kind == "deploy") on service.name as c | fields service.name, n, c.text';
    const found = await ask(joined);
    expect(found.length).toBeGreaterThan(0);
    const services = 'logs | where service.name in (changes | where kind == "deploy" | fields service.name) | count';
    expect(await ask(services)).toHaveLength(1);
  });

  it('are none when no rows are bound', async () => {
    const plan = compiled('changes | count');
    expect(await engine.select(plan.sql, boundForEngine(plan.params), plan.settings)).toEqual([['0']]);
  });

  it('are read for the window of every part of the query', () => {
    const { changes } = compiled('changes | stats n=count() by bucket(15m) | compare 1d');
    const day = 86_400_000_000_000n;
    expect(changes?.reach).toEqual({ fromNs: WINDOW.fromNs - day, toNs: WINDOW.toNs });
  });

  it('cannot be part of a statement that runs without a person', () => {
    const result = compileRelation('changes | stats n=count()', {
      scope: SCOPE,
      window: WINDOW,
      nowNs: NOW,
      prefix: 'a_',
    });
    expect(result).toMatchObject({ ok: false, diagnostics: [{ message: expect.stringContaining('changes') }] });
  });
});
