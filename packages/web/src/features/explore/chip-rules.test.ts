import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MEASURES } from './builder.ts';
import { conditionIn, conditionOf, OPERATORS, stageText, summaryIn } from './chip-rules.ts';

describe('conditionIn', () => {
  it.each([
    ['status == error', { field: 'status', operator: '==', value: 'error', isText: false }],
    ['duration > 500ms', { field: 'duration', operator: '>', value: '500ms', isText: false }],
    ['user.id == "17"', { field: 'user.id', operator: '==', value: '17', isText: true }],
    ['user.id == 17', { field: 'user.id', operator: '==', value: '17', isText: false }],
    ['body contains "a \\"b\\""', { field: 'body', operator: 'contains', value: 'a "b"', isText: true }],
    ['x != null', { field: 'x', operator: 'exists', value: '', isText: false }],
  ])('shows %s in a form', (text, condition) => {
    expect(conditionIn(text)).toEqual(condition);
    expect(conditionOf(condition)).toBe(text);
  });

  it.each([
    'a == 1 or b == 2',
    'not a == 1',
    'lower(a) == "x"',
    'a =~ "x"',
    'a in (1, 2)',
    'a == b',
    'kv["x"] == 1',
    'a == 1 + 2',
    'a == 1 | limit 5',
    '',
  ])('leaves %j to the text', (text) => {
    expect(conditionIn(text)).toBeNull();
  });

  it('reads any condition of the form again', () => {
    const condition = fc.record({
      field: fc.constantFrom('name', 'not', 'http.route', 'a-b.c', 'über', 'from', 'has', 'in', 'exists', 'between'),
      operator: fc.constantFrom(...OPERATORS.map(({ value }) => value)),
      value: fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('17', 'true', '5ms', '\b', '"', '\\')),
      isText: fc.constant(true),
    });
    fc.assert(
      fc.property(condition, (written) => {
        const text = conditionOf(written);
        const read = conditionIn(text);
        expect(read).toMatchObject({ field: written.field, operator: written.operator });
        if (written.operator !== 'exists') expect(read).toEqual(written);
      }),
    );
  });
});

describe('summaryIn', () => {
  it.each(Object.keys(MEASURES))('shows %s in a form', (measure) => {
    const ofField = MEASURES[measure]?.of === 'field';
    const summary = { measure, field: ofField ? 'a-b.size' : '', by: ['service.name', 'not'], overTime: true };
    const read = summaryIn(stageText(summary));
    expect(read?.measure).toBe(measure);
    expect(read).toMatchObject({ by: summary.by, overTime: true, ...(ofField && { field: summary.field }) });
  });

  it.each([
    'stats n=count(), m=max(duration)',
    'stats n=count() by bucket(5m)',
    'stats n=count() by s=service.name',
    'stats n=count() by upper(service.name)',
    'stats q=p95(duration)',
    'count by service.name',
    'limit 5',
    'stats n=count() | limit 5',
  ])('leaves %j to the text', (text) => {
    expect(summaryIn(text)).toBeNull();
  });
});
