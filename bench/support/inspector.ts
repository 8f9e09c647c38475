import { setTimeout as delay } from 'node:timers/promises';
import WebSocket from 'ws';

/** What V8 uses in another Node process, without what its next garbage collection frees. */
export interface Inspector {
  /** Bytes of the heap and of buffers outside of it. */
  used(): Promise<number>;
  close(): void;
}

/** Where Node listens after SIGUSR1. */
const address = 'http://127.0.0.1:9229/json';

export async function inspect(pid: number): Promise<Inspector> {
  process.kill(pid, 'SIGUSR1');
  let targets: readonly { readonly webSocketDebuggerUrl: string }[] = [];
  while (targets.length === 0) {
    await delay(100);
    targets = await fetch(address).then(
      (response) => response.json(),
      () => [],
    );
  }
  const socket = new WebSocket(targets[0]?.webSocketDebuggerUrl ?? '');
  await new Promise((open, failed) => socket.once('open', open).once('error', failed));
  const waiting = new Map<number, (message: { result: { result?: { value: string } } }) => void>();
  socket.on('message', (data) => {
    const message = JSON.parse(String(data));
    waiting.get(message.id)?.(message);
  });
  let asked = 0;
  const ask = (method: string, params: object = {}) =>
    new Promise<{ result: { result?: { value: string } } }>((answered) => {
      waiting.set(++asked, answered);
      socket.send(JSON.stringify({ id: asked, method, params }));
    });
  return {
    async used() {
      for (let i = 0; i < 2; i++) await ask('HeapProfiler.collectGarbage');
      const { result } = await ask('Runtime.evaluate', { expression: 'JSON.stringify(process.memoryUsage())' });
      const { heapUsed, external } = JSON.parse(result.result?.value ?? '');
      return heapUsed + external;
    },
    close: () => socket.close(),
  };
}
