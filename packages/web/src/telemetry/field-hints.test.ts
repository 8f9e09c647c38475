import { expect, it } from 'vitest';
import { rollupName, sourceOfSignal } from './field-hints.ts';

it.each([
  ['metric', 'metrics'],
  ['traces', 'spans'],
  ['logs', 'logs'],
  ['events', undefined],
])('%s is described by %s', (signal, source) => expect(sourceOfSignal(signal)).toBe(source));

it.each([
  ['http.route', 'http.route'],
  ['span.http.route', 'attr.http.route'],
  ['resource.host.name', 'resource.host.name'],
])('%s is looked up as %s', (field, name) => expect(rollupName(field)).toBe(name));
