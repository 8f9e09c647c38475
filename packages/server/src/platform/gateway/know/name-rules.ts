import { type CatalogueField, type FieldCatalogue, OLD_NAMES } from '@fanion/oql';

/**
 * Whether a text may contain a name with dots: `kv.x.y` is also read from inside of the attribute `kv` if that is a map, and
 * `http.request.method` also under its former name. It may be written with escapes.
 */
export function mayNamePlaces(text: string): boolean {
  return text.includes('.') || text.includes('\\');
}

/** The attributes that a text names, or whose present names it contains; whether there may be more stays. */
export function namedIn(text: string, { fields, partial }: FieldCatalogue): FieldCatalogue {
  const occurs = ({ name }: CatalogueField) => {
    const today = Object.hasOwn(OLD_NAMES, name) ? OLD_NAMES[name] : undefined;
    return text.includes(name) || (today !== undefined && text.includes(today));
  };
  return { fields: text.includes('\\') ? fields : fields.filter(occurs), ...(partial && { partial }) };
}
