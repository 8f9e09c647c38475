import { fieldsRoutes } from '@fanion/contract';
import { implement, type MountedRoute } from '../../../http/context.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type ScopedTelemetry, scopeOf, type TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import { parseWindow } from '../../../platform/time-window.ts';
import type { Feature } from '../../feature.ts';
import { beginsWith, describeFields, type FieldView, parseField, rankValues } from './rules.ts';
import { looksFor, sentTypes } from './sent-types.ts';
import { listFields, listLetters, listTexts, listValues } from './store.ts';

const maxValues = 50;

/** Names and values for autocomplete, from roll-ups. */
export const fieldsFeature = {
  name: 'telemetry/fields',
  routes: handlers,
  tenantTables: [
    {
      name: 'field_usage',
      isBefore: () => 'bucket < toStartOfFifteenMinutes(toDateTime({before:UInt32}))',
      // What was counted of other values of the same name in these fifteen minutes goes, too.
      holds: () => 'name = {attribute:String} AND arrayExists(one -> one.1 = {value:String}, finalizeAggregation(top))',
    },
  ],
} satisfies Feature;

function handlers({ telemetry, clock }: { telemetry: ScopedTelemetry; clock: Clock }): MountedRoute[] {
  return implement(fieldsRoutes, {
    async listFields({ query, signal, ...context }) {
      const scope = scopeOf(context);
      const asked = { source: query.source, window: parseWindow(query, clock.now()) };
      const { search = '', limit } = query;
      if (query.field === undefined) {
        const all = describeFields(await listFields(telemetry, scope, asked, signal));
        const fields = all.filter(({ name }) => beginsWith(name, search)).slice(0, limit);
        return { fields: await withSentTypes(telemetry, scope, fields, signal), values: [] };
      }
      const field = parseField(query.field);
      const [rows, values] = await Promise.all([
        listFields(telemetry, scope, asked, signal),
        listValues(telemetry, scope, asked, field, signal),
      ]);
      const fields = describeFields(rows).filter((one) => one.name === field.name && field.scopes.includes(one.scope));
      // A name without a prefix resolves as in OQL: the built-in field, else the attribute, else the resource
      // attribute.
      const first = fields[0]?.scope;
      const meant = values.filter(({ scope: of }) => first === undefined || of === first);
      return {
        fields: await withSentTypes(telemetry, scope, fields, signal),
        values: rankValues(meant, search, Math.min(limit, maxValues)),
      };
    },
  });
}

/** Names are parameters in the address of the store's request, which may have a megabyte. */
const maxNamesLength = 50_000;

/** Fields with the types that their values were sent with. Only the fields that are returned: their rows are read. */
async function withSentTypes(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  fields: readonly FieldView[],
  signal: AbortSignal,
): Promise<Omit<FieldView, 'latest'>[]> {
  const keyOf = (field: Pick<FieldView, 'source' | 'scope' | 'name'>) =>
    JSON.stringify([field.source, field.scope, field.name]);
  const looks = looksFor(fields);
  const letters = new Map<string, Set<string>>();
  for (const row of await listLetters(telemetry, scope, looks, signal)) {
    const key = keyOf(row);
    letters.set(key, (letters.get(key) ?? new Set()).add(row.letter));
  }
  const asked = new Set<string>();
  let length = 0;
  for (const field of fields) {
    if (!letters.has(keyOf(field)) || length + field.name.length > maxNamesLength) continue;
    asked.add(field.name);
    length += field.name.length;
  }
  const texts = new Map(
    (await listTexts(telemetry, scope, looks, [...asked], signal)).map((row) => [
      keyOf(row),
      row.texts.map((value, at) => ({ value, count: row.counts[at] ?? 0 })),
    ]),
  );
  return fields.map(({ latest: _, ...field }) => {
    const found = letters.get(keyOf(field));
    const values = texts.get(keyOf(field));
    if (found === undefined || values === undefined) return field;
    const types = sentTypes(found, values);
    return { ...field, type: types[0] ?? field.type, types };
  });
}
