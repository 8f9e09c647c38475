/** Goes on with a value at once if it is there, so that nothing waits for a turn of the event loop. Throws or rejects as `next` does. */
export function followedBy<Value, Next>(
  value: Value | Promise<Value>,
  next: (value: Value) => Next | Promise<Next>,
): Next | Promise<Next> {
  return value instanceof Promise ? value.then(next) : next(value);
}
