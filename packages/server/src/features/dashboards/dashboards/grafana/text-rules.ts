/** Of names, which repeat what a file says. */
const longestText = 500;

/** A name of Grafana as one of a dashboard here. */
export function oneLine(text: string): string {
  return text
    .slice(0, longestText)
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, 200);
}
