import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Evaluation,
  isFlapping,
  noState,
  type RuleState,
  ruleItself,
  type Semantics,
  step,
} from './step-rules.ts';
import { oracle } from './testing/oracle.ts';

const minute = 60_000;
const defaults: Semantics = {
  everyMs: minute,
  forMs: 0,
  keepFiringForMs: 0,
  noData: 'ok',
  missingSeries: 'resolve',
  missingIsFalse: false,
  onError: 'keep',
};
const rule = { labels: { team: 'shop' } };

/**
 * Runs evaluations a minute apart, written as one letter each: T the condition holds, f it does not, - the series is
 * missing while another answers, 0 no rows at all, E an error, . a slot that nobody evaluated, d/D as f/- with late data.
 */
function run(tape: string, semantics: Partial<Semantics> = {}, identity = 'a') {
  const moved: string[] = [];
  let state: RuleState = noState;
  const all = { ...defaults, ...semantics };
  for (const [i, letter] of [...tape].entries()) {
    const evaluation = evaluationOf(letter, i * minute);
    if (evaluation === undefined) continue;
    const stepped = step(all, rule, state, evaluation);
    state = stepped.state;
    for (const { identity: of, to, at, reason } of stepped.transitions)
      if (of === identity) moved.push(`${at / minute}:${to}${reason === null ? '' : `(${reason})`}`);
  }
  return { moved, state };
}

function evaluationOf(letter: string, at: number): Evaluation | undefined {
  if (letter === '.') return undefined;
  if (letter === 'E') return { at, outcome: 'failed' };
  const other = { identity: 'b', labels: { name: 'b' }, value: 1, holds: false };
  const own = (holds: boolean) => ({ identity: 'a', labels: { name: 'a' }, value: holds ? 9 : 1, holds });
  const samples = letter === '0' ? [] : letter === '-' || letter === 'D' ? [other] : [own(letter === 'T'), other];
  return { at, outcome: 'answered', samples, delayed: letter === 'd' || letter === 'D' };
}

describe('an instance', () => {
  it.each<[string, string, Partial<Semantics>, string[]]>([
    ['fires at once without `for`', 'fT', {}, ['1:firing']],
    ['resolves with the first false result', 'TTf', {}, ['0:firing', '2:resolved']],
    ['is pending until `for` is over', 'TTTT', { forMs: 2 * minute }, ['0:pending', '2:firing']],
    [
      'is no longer pending after one false result',
      'TTfTTT',
      { forMs: 2 * minute },
      ['0:pending', '2:inactive', '3:pending', '5:firing'],
    ],
    [
      'recovers for `keep_firing_for` from the first false result',
      'Tffff',
      { keepFiringForMs: 2 * minute },
      ['0:firing', '1:recovering', '3:resolved'],
    ],
    [
      'fires again while it recovers, and the time starts again',
      'TffTff.f',
      { keepFiringForMs: 2 * minute },
      ['0:firing', '1:recovering', '3:firing', '4:recovering', '7:resolved'],
    ],
    ['resolves after two evaluations without its series', 'T--', {}, ['0:firing', '2:resolved(missing_series)']],
    ['does not resolve where its series is missing once', 'T-T-T', {}, ['0:firing']],
    [
      'is no longer pending after two evaluations without its series',
      'T--',
      { forMs: 5 * minute },
      ['0:pending', '2:inactive(missing_series)'],
    ],
    ['does not count time without its series as pending', 'T-TT', { forMs: 2 * minute }, ['0:pending', '3:firing']],
    ['stays without its series under `keep`', 'T---', { missingSeries: 'keep' }, ['0:firing']],
    [
      'fires for a missing series under `alert`',
      'f---f',
      { missingSeries: 'alert' },
      ['2:firing(missing_series)', '4:resolved'],
    ],
    ['resolves without any data under `ok`', 'T0', {}, ['0:firing', '1:resolved(no_data)']],
    ['stays without any data under `keep`', 'T00', { noData: 'keep' }, ['0:firing']],
    ['stays without any data under `alert`', 'T00', { noData: 'alert' }, ['0:firing']],
    ['stays while evaluations fail', 'TEEf', {}, ['0:firing', '3:resolved']],
    ['does not count failed evaluations as pending', 'TTEET', { forMs: 3 * minute }, ['0:pending']],
    ['fires after failures once its time has passed', 'TTEETT', { forMs: 3 * minute }, ['0:pending', '5:firing']],
    ['does not count missed slots as pending', 'T...TTT', { forMs: 3 * minute }, ['0:pending', '6:firing']],
    [
      'does not count missed slots as recovering',
      'Tf...ff',
      { keepFiringForMs: 2 * minute },
      ['0:firing', '1:recovering', '6:resolved'],
    ],
    ['does not resolve by data that may be late', 'TdDDDf', {}, ['0:firing', '5:resolved']],
    ['stays pending by data that may be late', 'TdT', { forMs: 2 * minute }, ['0:pending', '2:firing']],
  ])('%s: %s', (_name, tape, semantics, moved) => {
    expect(run(tape, semantics).moved).toEqual(moved);
  });

  it('starts to be pending again after a gap of more than an hour, and continues to fire', () => {
    const gap = '.'.repeat(62);
    expect(run(`T${gap}TTT`, { forMs: 2 * minute }).moved).toEqual(['0:pending', '65:firing']);
    expect(run(`T${gap}T`).moved).toEqual(['0:firing']);
  });

  it('is pending again when `for` is raised above the time for which it has held', () => {
    const { state } = run('TTT', { forMs: minute });
    const raised = step({ ...defaults, forMs: 10 * minute }, rule, state, {
      at: 3 * minute,
      outcome: 'answered',
      samples: [{ identity: 'a', labels: {}, value: 9, holds: true }],
      delayed: false,
    });
    expect(raised.transitions).toMatchObject([{ from: 'firing', to: 'pending' }]);
  });

  it('is not hurt by a clock that jumps', () => {
    const held = { identity: 'a', labels: {}, value: 9, holds: true };
    const at = (time: number): Evaluation => ({ at: time, outcome: 'answered', samples: [held], delayed: false });
    const semantics = { ...defaults, forMs: 3 * minute };
    for (const jump of [60 * minute, -60 * minute]) {
      let state = noState;
      const states: (string | undefined)[] = [];
      for (const time of [0, 1, 2, 3, 4].map((i) => 1e12 + i * minute + (i >= 2 ? jump : 0))) {
        ({ state } = step(semantics, rule, state, at(time)));
        states.push(state.instances.get('a')?.state);
      }
      // Forwards one interval counts, backwards none.
      const fires = jump > 0 ? ['pending', 'firing', 'firing'] : ['pending', 'pending', 'firing'];
      expect(states).toEqual(['pending', 'pending', ...fires]);
    }
  });

  it('is flapping after five turns within an hour', () => {
    const { state } = run('TfTfT');
    const instance = state.instances.get('a');
    expect(instance && isFlapping(instance, 5 * minute)).toBe(true);
    expect(instance && isFlapping(instance, 63 * minute)).toBe(false);
  });

  it('is no longer listed as resolved after a day', () => {
    const { state } = run(`Tf${'.'.repeat(24 * 60)}ff`);
    expect(state.instances.get('a')?.state).toBe('inactive');
  });
});

describe('the rule itself', () => {
  it.each<[string, string, Partial<Semantics>, string[]]>([
    ['fires without data under `alert`', 'f00f', { noData: 'alert' }, ['1:no_data(no_data)', '3:resolved']],
    [
      'fires without data once `for` is over',
      'f000f',
      { noData: 'alert', forMs: 2 * minute },
      ['1:pending(no_data)', '3:no_data(no_data)', '4:resolved'],
    ],
    [
      'is not pending any more with data',
      'f0f',
      { noData: 'alert', forMs: 2 * minute },
      ['1:pending(no_data)', '2:inactive'],
    ],
    ['does not fire without data under `ok`', 'f000', {}, []],
    [
      'fires for an error under `alert`, until the first success',
      'fEEf',
      { onError: 'alert' },
      ['1:error(error)', '3:resolved'],
    ],
    ['does not fire for an error under `keep`', 'fEEf', {}, []],
    [
      'goes from error to no data',
      'E0',
      { onError: 'alert', noData: 'alert' },
      ['0:error(error)', '1:no_data(no_data)'],
    ],
  ])('%s: %s', (_name, tape, semantics, moved) => {
    expect(run(tape, semantics, ruleItself).moved).toEqual(moved);
  });
});

describe('any history', () => {
  const semantics = fc.record({
    everyMs: fc.constant(minute),
    forMs: fc.integer({ min: 0, max: 4 }).map((n) => n * minute),
    keepFiringForMs: fc.integer({ min: 0, max: 4 }).map((n) => n * minute),
    noData: fc.constantFrom('alert' as const, 'ok' as const, 'keep' as const),
    missingSeries: fc.constantFrom('resolve' as const, 'keep' as const),
    missingIsFalse: fc.boolean(),
    onError: fc.constant('keep' as const),
  });
  const tape = fc.array(fc.constantFrom('T', 'T', 'T', 'f', '-', '0', 'E', '.'), { maxLength: 40 });

  it('leads to the state that a second reading of the whole history gives', () => {
    fc.assert(
      fc.property(semantics, tape, (of, letters) => {
        const { state } = run(letters.join(''), of);
        expect(state.instances.get('a')?.state ?? 'inactive').toBe(oracle(letters, of, minute));
      }),
      { numRuns: 2_000 },
    );
  });

  it('never leaves a transition out: each begins where the one before ended', () => {
    fc.assert(
      fc.property(semantics, tape, (of, letters) => {
        let state = noState;
        const last = new Map<string, string>();
        for (const [i, letter] of letters.entries()) {
          const evaluation = evaluationOf(letter, i * minute);
          if (evaluation === undefined) continue;
          const stepped = step(of, rule, state, evaluation);
          state = stepped.state;
          for (const { identity, from, to } of stepped.transitions) {
            expect(from).toBe(last.get(identity) ?? 'inactive');
            last.set(identity, to);
          }
        }
      }),
    );
  });
});
