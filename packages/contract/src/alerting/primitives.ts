import { z } from 'zod';
import { OneLine } from '../primitives.ts';

/** Whole seconds, minutes, hours, days or weeks, or `0s`. */
export const AlertDuration = z
  .string()
  .regex(/^(0s|[1-9]\d{0,5}[smhdw])$/, 'a duration such as 0s, 30s, 5m, 12h, 7d')
  .meta({ examples: ['5m'] });

/** One line without control characters; dots are allowed, as in `service.name`. */
export const LabelName = OneLine(128)
  .min(1)
  .regex(/^[^"=~!{}]*$/, 'a label name has none of " = ~ ! { }');
export const LabelValue = z.string().max(1_024);
/**
 * The name of a label that a rule adds: as an attribute is called, such as `team` or `service.name`. `alertname` is the name of
 * the rule, and names that begin with `__` belong to Prometheus.
 */
const OwnLabelName = z
  .string()
  .max(128)
  .regex(
    /^(?!alertname$|__)[A-Za-z_][A-Za-z0-9_.\-/]*$/,
    'a label begins with a letter or _ and has only a-z A-Z 0-9 _ . - /; `alertname` is the name of the rule, and names that begin with __ are reserved',
  );
/** Names and values, at most 32. */
export const Labels = z
  .record(OwnLabelName, LabelValue)
  .refine((labels) => Object.keys(labels).length <= 32, 'at most 32 labels')
  .meta({ examples: [{ team: 'checkout' }] });
export const LabelsOutput = z.record(z.string(), z.string());

/** Texts with placeholders such as `{{ labels["service.name"] }}` and `{{ value }}`. */
export const Annotations = z
  .record(LabelName, z.string().max(4_096))
  .refine((annotations) => Object.keys(annotations).length <= 32, 'at most 32 annotations')
  .meta({ examples: [{ summary: '{{ labels["service.name"] }} fails' }] });

/** A number. JSON has none for `NaN`, `Infinity` and `-Infinity`, so these are strings. */
export const SampleValue = z.union([z.number(), z.literal(['NaN', 'Infinity', '-Infinity'])]);
export const AlertValue = SampleValue.nullable();
