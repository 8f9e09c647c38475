import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compile } from './compile.ts';
import { query, userText } from './testing/arbitrary.ts';
import { type Engine, startEngine } from './testing/engine.ts';
import { NOW, WINDOW } from './testing/fixture.ts';

/** `OQL_RUNS=100000` for the long version. */
const COMPILED = Number(process.env.OQL_RUNS ?? 3_000);
const RUN = Number(process.env.OQL_ENGINE_RUNS ?? 150);

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

const scope = { workspace: 7, project: 1, environment: 'production' };
const options = { scope, window: WINDOW, limit: 100, nowNs: NOW } as const;

/** Every read of a table in the statement, and those that are restricted to the tenant and a window. */
const TABLES =
  '(?:spans|logs|metric_points|metric_histograms|metric_series|exemplars|field_usage|profile_samples|profile_stacks)';
const SCANS = new RegExp(String.raw`FROM ${TABLES}\b`, 'g');
const SCOPED = new RegExp(
  String.raw`FROM ${TABLES}(?: ARRAY JOIN (?:(?! FROM | WHERE ).)*)? WHERE workspace = \{p\d+:UInt32\} AND project = \{p\d+:UInt32\} AND environment = \{p\d+:String\} AND (?:time|day|bucket) >= `,
  'g',
);

test('filters every scan by tenant and puts no user text into the statement', {
  timeout: 600_000,
}, () => {
  let compiledQueries = 0;
  fc.assert(
    fc.property(query, (text) => {
      const compiled = compile(text, options);
      if (!compiled.ok) {
        // For example an attribute with an empty name: rejected with a reason.
        expect(compiled.diagnostics.some((diagnostic) => diagnostic.severity === 'error')).toBe(true);
        return;
      }
      compiledQueries++;
      const scans = compiled.sql.match(SCANS) ?? [];
      expect(scans).not.toEqual([]);
      expect(compiled.sql.match(SCOPED)).toHaveLength(scans.length);
      expect(compiled.sql).not.toMatch(/zq|qz|canary/);
      expect(compiled.sql).toMatch(/^[\x20-\x7e]*$/);
      for (const { type, value } of Object.values(compiled.params))
        if (type === 'UInt32') expect([7, 1]).toContain(value);
    }),
    { numRuns: COMPILED },
  );
  // If most generated queries were rejected, the test would prove nothing.
  expect(compiledQueries).toBeGreaterThan(COMPILED * 0.8);
});

test('shows no rows of another workspace or project', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(query, async (text) => {
      if (!compile(text, options).ok) return;
      const { rows } = await engine.ask(text, options);
      // The query itself may contain the word, as a literal in a column.
      if (!text.includes('canary')) expect(JSON.stringify(rows)).not.toContain('canary');
    }),
    { numRuns: RUN },
  );
});

test('rejects text that does not parse or check without throwing', () => {
  fc.assert(
    fc.property(query, fc.nat(), userText, (text, at, piece) => {
      const where = at % text.length;
      expect(() => compile(text.slice(0, where) + piece + text.slice(where), options)).not.toThrow();
    }),
    { numRuns: COMPILED / 4 },
  );
});
