/**
 * FNV-1a of 32 bits over the UTF-16 code units of a text, as an unsigned integer: the hash of GrowthBook's JavaScript SDK.
 * Offset basis and prime are those of the FNV specification (Fowler, Noll, Vo).
 */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
