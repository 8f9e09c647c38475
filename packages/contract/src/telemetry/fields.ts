import { z } from 'zod';
import { SearchText, TimeInput, WindowEnd } from '../primitives.ts';
import { route } from '../route.ts';

export const FieldSource = z.enum(['spans', 'logs', 'metrics', 'profiles']);

const Value = z.object({
  value: z.string(),
  count: z.number().meta({ description: 'an estimate where there are many rows or values' }),
  share: z.number().meta({ description: 'of the rows that have the field, 0 to 1' }),
});
export const Field = z.object({
  name: z.string(),
  scope: z.enum(['field', 'attribute', 'resource']).meta({
    description: 'field: every row has it; attribute: of the span, log record or series; resource: of the sender',
  }),
  type: z.string().meta({ description: 'string, int, float, bool or json; the most frequent one first in `types`' }),
  types: z.array(z.string()),
  source: FieldSource,
  rows: z.number().meta({ description: 'rows that have it; descriptions of series for metrics' }),
  frequency: z.number().meta({ description: 'share of the rows of this source that have it, 0 to 1' }),
  cardinality: z.number().int().meta({ description: 'distinct values, an estimate; 0 where values are lists or maps' }),
});

export const listFields = route({
  id: 'fields.list',
  method: 'GET',
  path: '/workspaces/{ws}/fields',
  summary: 'Fields for autocomplete, and the most frequent values of one',
  description:
    'Without `field`: the fields that were seen in the window, most frequent first; `search` is the beginning of a name, or of one of its parts. With `field`: that field alone, and its most frequent values (at most 50); `search` is then the beginning of a value. Read from 15-minute roll-ups, so the window is widened to whole quarters of an hour, for metrics to whole days.',
  auth: 'user',
  scopeIn: 'query',
  permission: 'telemetry:query',
  query: {
    source: FieldSource.optional().meta({ description: 'all of them where it is left out' }),
    field: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .meta({ description: 'a name as it is listed; `resource.` before it means the resource attribute' }),
    search: SearchText.optional(),
    limit: z.coerce.number().int().min(1).max(1000).default(200),
    from: TimeInput.optional(),
    to: WindowEnd.optional(),
    project: z.string().max(128).optional(),
    environment: z.string().max(128).optional(),
  },
  response: z.object({ fields: z.array(Field), values: z.array(Value) }),
  errors: ['WINDOW_INVALID', 'QUERY_TOO_EXPENSIVE', 'RESULT_TOO_LARGE', 'QUERY_QUEUE_FULL', 'STORE_UNAVAILABLE'],
});
