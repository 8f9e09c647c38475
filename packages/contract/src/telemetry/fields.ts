import { z } from 'zod';
import { Count, SearchText, TimeInput, WindowEnd } from '../primitives.ts';
import { route } from '../route.ts';

export const FieldSource = z.enum(['spans', 'logs', 'metrics', 'profiles']);

export const FieldValue = z.object({
  value: z.string(),
  count: z.number().meta({ description: 'an estimate if there are many rows or values' }),
  share: z.number().meta({ description: 'share of the rows that have the field, 0 to 1' }),
});
export const Field = z.object({
  name: z.string(),
  scope: z.enum(['field', 'attribute', 'resource']).meta({
    description: 'field: every row has it; attribute: of the span, log record or series; resource: of the sender',
  }),
  type: z.string().meta({ description: 'string, int, float, bool or json; `types` starts with the most frequent' }),
  types: z.array(z.string()),
  source: FieldSource,
  rows: z.number().meta({ description: 'rows that have the field; for metrics, descriptions of series' }),
  frequency: z.number().meta({ description: 'share of the rows of this source that have the field, 0 to 1' }),
  cardinality: Count.meta({ description: 'estimated number of distinct values; 0 if the values are lists or maps' }),
});

export const listFields = route({
  id: 'fields.list',
  method: 'GET',
  path: '/workspaces/{ws}/fields',
  summary: 'List fields for autocomplete, or the most frequent values of one field',
  description:
    'Without `field`: returns the fields seen in the window, most frequent first; `search` is a prefix of a name or of one of its parts. With `field`: returns that field and its most frequent values (at most 50); `search` is then a prefix of a value. The data comes from 15-minute roll-ups, so the window is widened to whole quarters of an hour, and to whole days for metrics. The types of resource attributes, and of the attributes of metrics and profiles, are read from the rows of the last quarter of an hour (metrics: day) in which a listed field was seen, for each source at most the newest four and a million rows; a field whose types are not among these rows is `string`. Which of its types a value has is told by its text, for the most frequent values.',
  auth: 'user',
  scopeIn: 'query',
  permission: 'telemetry:query',
  query: {
    source: FieldSource.optional().meta({ description: 'all sources by default' }),
    field: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .meta({ description: 'a name as listed; the prefix `resource.` selects the resource attribute' }),
    search: SearchText.optional(),
    limit: z.coerce.number().int().min(1).max(1000).default(200),
    from: TimeInput.optional(),
    to: WindowEnd.optional(),
    project: z.string().max(128).optional(),
    environment: z.string().max(128).optional(),
  },
  response: z.object({ fields: z.array(Field), values: z.array(FieldValue) }),
  errors: ['WINDOW_INVALID', 'QUERY_TOO_EXPENSIVE', 'RESULT_TOO_LARGE', 'QUERY_QUEUE_FULL', 'STORE_UNAVAILABLE'],
});
