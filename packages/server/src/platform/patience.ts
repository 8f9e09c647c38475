/** What was asked, or after so many milliseconds what `otherwise` gives; it does not end what was asked. */
export async function patiently<T>(asked: Promise<T>, ms: number, otherwise: () => T | Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<'over'>((resolve) => {
    timer = setTimeout(() => resolve('over'), ms);
  });
  try {
    const first = await Promise.race([asked.then((value) => ({ value })), patience]);
    return first === 'over' ? await otherwise() : first.value;
  } finally {
    clearTimeout(timer);
    // Whoever asked does not wait for it any more.
    asked.catch(() => {});
  }
}
