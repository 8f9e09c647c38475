/** Does something for each item, for some at the same time. After a failure it begins no more, and throws when those that run have ended. */
export async function inParallel<T>(
  items: Iterable<T>,
  atOnce: number,
  action: (item: T) => Promise<void>,
): Promise<void> {
  const left = items[Symbol.iterator]();
  const failures: unknown[] = [];
  const work = async () => {
    for (let next = left.next(); !next.done && failures.length === 0; next = left.next()) {
      try {
        await action(next.value);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  if (failures.length > 0) throw failures[0];
}
