import { describe, expect, it } from 'vitest';
import { emptySymptom, type Symptom, symptomQuery } from '../../alerting/symptom-rules.ts';
import { emptyDraft, type RuleDraft } from './rule-draft.ts';
import { fromUnit, inUnit, nameOf, symptomOfDraft, unitOf, withSymptom } from './rule-symptom.ts';

const errors: Symptom = { ...emptySymptom, service: 'checkout' };
const chosen = (draft: RuleDraft, symptom: Symptom): RuleDraft => ({ ...draft, ...withSymptom(draft, symptom) });

describe('withSymptom', () => {
  it('fills an empty draft, and keeps a threshold that was written before', () => {
    const draft = chosen({ ...emptyDraft, threshold: '5' }, errors);
    expect(draft).toMatchObject({
      query: symptomQuery(errors),
      name: 'checkout: error rate',
      kind: 'threshold',
      op: '>',
      threshold: '5',
      window: '5m',
    });
    expect(symptomOfDraft(draft)).toEqual(errors);
  });

  it('fires without data when a request rate drops', () => {
    const draft = chosen(chosen({ ...emptyDraft, threshold: '5' }, errors), { ...errors, kind: 'traffic' });
    expect(draft).toMatchObject({ op: '<', threshold: '', no_data: 'alert', missing_series: 'alert' });
    expect(chosen(draft, errors)).toMatchObject({ op: '>', no_data: 'ok', missing_series: 'resolve' });
  });

  it('makes a rule of absence for no data', () => {
    const draft = chosen(emptyDraft, { ...errors, kind: 'silence' });
    expect(draft.kind).toBe('absence');
    expect(symptomOfDraft(draft)?.kind).toBe('silence');
    expect(symptomOfDraft({ ...draft, kind: 'threshold' })).toBeNull();
  });

  it('keeps the name, the condition and the window of somebody who wrote them', () => {
    const draft = { ...chosen(emptyDraft, errors), name: 'Pay', op: '>=', threshold: '0.1', window: '1h' } as const;
    const other = { ...errors, service: 'cart' };
    expect(chosen(draft, other)).toEqual({ ...draft, query: symptomQuery(other) });
  });

  it('renames a rule that nobody named', () => {
    expect(chosen(chosen(emptyDraft, errors), { ...errors, service: '' }).name).toBe('All services: error rate');
  });
});

it.each([
  [{ kind: 'latency', operation: 'POST /pay' }, 'checkout POST /pay: p95 latency'],
  [{ kind: 'log_errors', operation: 'POST /pay' }, 'checkout: log errors'],
  [{ kind: 'metric', metric: 'queue.size' }, 'checkout: avg of queue.size'],
  [{ kind: 'metric' }, ''],
] as const)('names %j', (change, name) => {
  expect(nameOf({ ...errors, ...change })).toBe(name);
});

it.each([
  [{ ...errors }, '5', '0.05'],
  [{ ...errors, kind: 'latency' }, '812', '812000000'],
  [{ ...errors, kind: 'traffic' }, '1.5', '1.5'],
  [{ ...errors }, '0.07', '0.0007'],
  [{ ...errors }, '-', '-'],
  [{ ...errors }, '', ''],
] as const)('converts the threshold of %j', (symptom, shown, value) => {
  expect(fromUnit(shown, unitOf(symptom))).toBe(value);
  expect(inUnit(value, unitOf(symptom))).toBe(shown);
});
