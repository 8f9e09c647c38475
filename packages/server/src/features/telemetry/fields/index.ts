import { fieldsRoutes } from '@fanion/contract';
import { implement, type MountedRoute } from '../../../http/context.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type ScopedTelemetry, scopeOf } from '../../../platform/scoped-telemetry.ts';
import { parseWindow } from '../../../platform/time-window.ts';
import type { Feature } from '../../feature.ts';
import { beginsWith, describeFields, parseField, rankValues } from './rules.ts';
import { listFields, listValues } from './store.ts';

export { createFieldCatalogues, type FieldCatalogues } from './catalogues.ts';

const maxValues = 50;

/** Names and values for autocomplete, from roll-ups. */
export const fieldsFeature = {
  name: 'telemetry/fields',
  routes: handlers,
  tenantTables: [
    { name: 'field_usage', isBefore: () => 'bucket < toStartOfFifteenMinutes(toDateTime({before:UInt32}))' },
  ],
} satisfies Feature;

function handlers({ telemetry, clock }: { telemetry: ScopedTelemetry; clock: Clock }): MountedRoute[] {
  return implement(fieldsRoutes, {
    async listFields({ query, signal, ...context }) {
      const scope = scopeOf(context);
      const asked = { source: query.source, window: parseWindow(query, clock.now()) };
      const { search = '', limit } = query;
      if (query.field === undefined) {
        const fields = describeFields(await listFields(telemetry, scope, asked, signal));
        return { fields: fields.filter(({ name }) => beginsWith(name, search)).slice(0, limit), values: [] };
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
      return { fields, values: rankValues(meant, search, Math.min(limit, maxValues)) };
    },
  });
}
