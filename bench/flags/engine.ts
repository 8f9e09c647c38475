/** Kinds of rules, the bucket of a unit and the text of a bulk answer, each compared with a plain implementation. */
import { createHash } from 'node:crypto';
import {
  bucketValue,
  compileRuleset,
  type EvaluationContext,
  evaluate,
  type Flag,
  ofrepFlags,
  ofrepFragments,
  resolve,
} from '@fanion/flag-engine';
import { flag, ruleset } from '../../packages/flag-engine/src/testing/flags.ts';
import { contexts, simpleRule } from './shapes.ts';

const ROUNDS = Number(process.env.ROUNDS ?? 9);
const FLAGS = 200;

/** Keeps results alive, so that nothing measured is optimized away. */
let sink = 0;

const halves = {
  rollout: {
    weights: [
      { variant: 'true', weight: 50_000 },
      { variant: 'false', weight: 50_000 },
    ],
  },
};

const shapes: Record<string, Partial<Flag>> = {
  'one simple rule': simpleRule,
  off: { enabled: false },
  'target among 1000': {
    targets: [{ variant: 'true', values: Array.from({ length: 1_000 }, (_, i) => `user-${i * 2}`) }],
  },
  'three rules of two clauses': {
    rules: ['US', 'JP', 'DE'].map((country, i) => ({
      id: `r${i}`,
      salt: `s${i}`,
      clauses: [
        { attribute: 'country', op: 'in', values: [country, 'XX'] },
        { attribute: 'email', op: 'ends_with', values: ['@corp.example'] },
      ],
      variant: 'true',
    })),
  },
  'semver rule': {
    rules: [
      {
        id: 'r1',
        salt: 's1',
        clauses: [{ attribute: 'version', op: 'semver_gt', values: ['3.10.0'] }],
        variant: 'true',
      },
    ],
  },
  'regex rule (RE2)': {
    rules: [
      {
        id: 'r1',
        salt: 's1',
        clauses: [{ attribute: 'email', op: 'matches', values: ['^user-[0-9]+@corp'] }],
        variant: 'true',
      },
    ],
  },
  percentage: { fallthrough: halves },
  prerequisite: { prerequisites: [{ flag: 'off', variants: ['true'] }] },
};

/**
 * Nanoseconds of CPU per call, median of the rounds, after a warm-up. CPU time rather than wall time, since others
 * share the machine; it includes the engine's own garbage collection and compilation threads.
 */
function measure(calls: number, run: (i: number) => unknown): number {
  const times: number[] = [];
  for (let round = -1; round < ROUNDS; round++) {
    const start = process.cpuUsage();
    for (let i = 0; i < calls; i++) if (run(i) === sink) sink++;
    const { user, system } = process.cpuUsage(start);
    if (round >= 0) times.push(((user + system) / calls) * 1e3);
  }
  return times.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? Number.NaN;
}

function line(name: string, figure: string, beside = ''): void {
  console.log(`${name.padEnd(48)}${figure.padStart(14)}   ${beside}`);
}

const perSecond = (ns: number) => `${(1_000 / ns).toFixed(2)} M/s`;
const context = (i: number): EvaluationContext => contexts[i & 1_023] ?? {};

export function engine(): void {
  const compiled = compileRuleset(ruleset(Object.entries(shapes).map(([key, changes]) => flag(key, changes))));
  console.log(`\n## The engine itself, processor time, median of ${ROUNDS} rounds\n`);
  for (const key of Object.keys(shapes)) {
    const ns = measure(300_000, (i) => evaluate(compiled, key, context(i)).value);
    line(`  ${key}`, perSecond(ns), `${ns.toFixed(0)} ns${key === 'one simple rule' ? '   target ≥ 7 M/s' : ''}`);
  }
  const resolved = measure(300_000, (i) => resolve(compiled, 'one simple rule', context(i)).ofrep('"user-1"').length);
  line('  one simple rule, with its OFREP body', perSecond(resolved), `${resolved.toFixed(0)} ns`);

  console.log('\nthe bucket of a unit');
  const units = contexts.map(({ targetingKey }) => String(targetingKey));
  const unit = (i: number): string => units[i & 1_023] ?? '';
  const ours = measure(200_000, (i) => evaluate(compiled, 'percentage', { targetingKey: unit(i) }).variant);
  const once = measure(100_000, (i) => bucketValue({ flag_key: 'percentage', salt: 'e0c9ab4f' }, unit(i)));
  const fifteenDigits = Number.parseInt('f'.repeat(15), 16);
  const plain = measure(100_000, (i) => {
    const digest = createHash('sha1')
      .update(`percentage.e0c9ab4f.${unit(i)}`)
      .digest('hex');
    return Number.parseInt(digest.slice(0, 15), 16) / fifteenDigits;
  });
  line(
    '  whole evaluation, prefix hashed at compile time',
    `${ours.toFixed(0)} ns`,
    `${(plain / ours).toFixed(1)}× node:crypto`,
  );
  line(
    '  bucketValue(), prefix hashed each time',
    `${once.toFixed(0)} ns`,
    `${(plain / once).toFixed(1)}× node:crypto`,
  );
  line('  node:crypto sha1, hex, parseInt', `${plain.toFixed(0)} ns`);

  console.log(`\nbulk answer of ${FLAGS} flags as OFREP text`);
  const mixture = ['one simple rule', 'off', 'three rules of two clauses', 'percentage', 'target among 1000'];
  const bulk = compileRuleset(
    ruleset(
      Array.from({ length: FLAGS }, (_, i) => flag(`flag-${i}`, shapes[mixture[i % mixture.length] ?? ''] ?? {})),
    ),
  );
  const simple = compileRuleset(
    ruleset(Array.from({ length: FLAGS }, (_, i) => flag(`flag-${i}`, shapes['one simple rule'] ?? {}))),
  );
  const parsed = contexts.map((each) => JSON.parse(ofrepFlags(bulk, each)));
  const stringify = measure(1_000, (i) => JSON.stringify(parsed[i & 1_023]).length);
  const stringifyBytes = measure(1_000, (i) => Buffer.from(JSON.stringify(parsed[i & 1_023])).length);
  const micro = (ns: number) => `${(ns / 1e3).toFixed(1)} µs`;
  for (const [name, flags] of [
    ['every fifth a percentage', bulk],
    ['one simple rule each', simple],
  ] as const) {
    const text = measure(1_000, (i) => ofrepFlags(flags, context(i)).length);
    const bytes = measure(1_000, (i) => Buffer.concat(ofrepFragments(flags, context(i))).length);
    line(`  evaluated: ${name}`, micro(text), `${(stringify / text).toFixed(1)}× JSON.stringify   target ≤ 40 µs`);
    line('    and as bytes', micro(bytes), `${(stringifyBytes / bytes).toFixed(1)}× JSON.stringify as bytes`);
  }
  line('  JSON.stringify of the same, already evaluated', micro(stringify));
  line('    and as bytes', micro(stringifyBytes));

  if (sink > 0) console.log();
}
