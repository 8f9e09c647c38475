import { type Fields, isFields, textOf } from '../files/fields.ts';

/** A context as programs record it: in OpenFeature's form, or in that of the other product's SDK. */
export function keyOfContext({ targetingKey, key, userId, id }: Fields): string | undefined {
  return textOf(targetingKey) ?? textOf(key) ?? textOf(userId) ?? textOf(id);
}

/** In OpenFeature's form. Fanion reads LaunchDarkly's contexts of several kinds unchanged. */
export function openFeatureContext(context: Fields): Fields {
  if (textOf(context.kind) !== undefined) return context;
  const { properties, ...rest } = context;
  const targetingKey = keyOfContext(context);
  return {
    ...rest,
    ...(isFields(properties) ? properties : properties !== undefined && { properties }),
    ...(targetingKey !== undefined && { targetingKey }),
  };
}

/** The attributes of an OpenFeature context, without its key. */
export function attributesOf(context: Fields): Fields {
  const { targetingKey: _, ...attributes } = openFeatureContext(context);
  return attributes;
}
