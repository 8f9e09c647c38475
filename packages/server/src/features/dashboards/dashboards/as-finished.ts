/**
 * The results of a step over items, each as soon as it is there, a few steps at a time. A step that throws ends the
 * iteration. The next steps begin only when the reader asks on, so that results do not pile up before a slow reader.
 */
export async function* asFinished<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  step: (item: Item) => Promise<Result>,
): AsyncGenerator<Result, void, undefined> {
  const running = new Map<number, Promise<{ readonly at: number; readonly result: Result }>>();
  let next = 0;
  const fill = () => {
    for (; next < items.length && running.size < atOnce; next++) {
      const at = next;
      const item = items[at] as Item;
      const one = step(item).then((result) => ({ at, result }));
      // Of several that fail, the first ends the iteration; the others are not waited for.
      one.catch(() => {});
      running.set(at, one);
    }
  };
  fill();
  while (running.size > 0) {
    const { at, result } = await Promise.race(running.values());
    running.delete(at);
    fill();
    yield result;
  }
}
