/** The little XML that S3 answers with: flat elements, without attributes that matter. */

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** The contents of all elements of a name, which must not contain each other. */
export function elementsOf(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}(?:\\s[^>]*)?>([\\s\\S]*?)</${name}>`, 'g'))].map(
    ([, content = '']) => content,
  );
}

/** The text of the first element of a name. */
export function textOf(xml: string, name: string): string | undefined {
  return elementsOf(xml, name)[0]?.replace(/&(#x[0-9a-f]+|#\d+|\w+);/gi, (all, entity: string) => {
    if (!entity.startsWith('#')) return ENTITIES[entity] ?? all;
    return String.fromCodePoint(entity[1] === 'x' ? Number.parseInt(entity.slice(2), 16) : Number(entity.slice(1)));
  });
}

export function escaped(text: string): string {
  return text.replace(/[<>&"']/g, (character) => `&#${character.codePointAt(0)};`);
}
