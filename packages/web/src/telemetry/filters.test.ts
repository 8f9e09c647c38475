import { expect, it } from 'vitest';
import { filtersText, parseFilters, valueCondition, withFilter, withoutField } from './filters.ts';

it('round-trip through the URL', () => {
  const filters = ['a == 1', 'b != "x y"'];
  expect(parseFilters(filtersText(filters))).toEqual(filters);
  expect(filtersText([])).toBeUndefined();
  expect(parseFilters(undefined)).toEqual([]);
});

it('write values by the type of their field', () => {
  expect(valueCondition({ field: 'http.response.status_code', value: '200', types: ['int'] })).toBe(
    'http.response.status_code == 200',
  );
  expect(valueCondition({ field: 'resource.k8s-pod', value: '200', types: ['string'] }, true)).toBe(
    'resource.`k8s-pod` != "200"',
  );
  expect(valueCondition({ field: 'cached', value: 'true', types: ['bool'] })).toBe('cached == true');
  expect(valueCondition({ field: 'n', value: 7 })).toBe('n == 7');
  expect(valueCondition({ field: 'a', value: null })).toBe('a == null');
  expect(valueCondition({ field: 'a', value: 'say "hi"\n' })).toBe('a == "say \\"hi\\"\\n"');
  // OQL has fewer escapes than JSON, and words that are no names.
  expect(valueCondition({ field: 'not.a', value: '\b\\b\f' })).toBe('`not`.a == "\\u0008\\\\b\\u000c"');
});

it('replaces the value of a field, and removes a value picked again', () => {
  const one = withFilter([], { field: 'a', value: 'x' });
  expect(one).toEqual(['a == "x"']);
  expect(withFilter(one, { field: 'a', value: 'y' })).toEqual(['a == "y"']);
  expect(withFilter(one, { field: 'a', value: 'x' })).toEqual([]);
  expect(withFilter(one, { field: 'a', value: 'x' }, true)).toEqual(['a != "x"']);
  expect(withFilter(['a != "x"'], { field: 'a', value: 'y' }, true)).toEqual(['a != "x"', 'a != "y"']);
  expect(withoutField(['a == "x"', 'a != "y"', 'ab == 1'], 'a')).toEqual(['a != "y"', 'ab == 1']);
});
