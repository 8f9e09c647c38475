import type { Product } from '../product.ts';
import { memoryFigures, memoryOf, watchMemory } from '../run/processes.ts';
import type { Figures } from '../run/results.ts';

/** The memory of a product that has no data and is asked nothing. */
export async function memory(
  { product, program }: { product: Product; program: string },
  restSeconds: number,
): Promise<Figures> {
  const started = await product.start(program);
  const watched = watchMemory(started.pid);
  try {
    await new Promise((resolve) => setTimeout(resolve, restSeconds * 1000));
    return memoryFigures(watched.stop(), memoryOf(started.pid));
  } finally {
    watched.stop();
    await started.stop();
  }
}
