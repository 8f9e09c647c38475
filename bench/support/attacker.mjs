// Sends a request over and over on each connection, and opens a new one where the server closes it. It stands for other
// machines, so it takes only the processor time that nobody else wants. Its parent sends the attack, then any message to end
// it; it answers with the number of answers by status.
import { once } from 'node:events';
import { connect } from 'node:net';
import { setPriority } from 'node:os';

const lowestPriority = 19;
const pauseMs = 5;
setPriority(lowestPriority);
const [{ port, connections, request, slow }] = await once(process, 'message');

const sockets = new Set();
const statuses = new Map();
let isOver = false;
function open() {
  if (isOver) return;
  const socket = connect(port, '127.0.0.1');
  sockets.add(socket);
  const send = () => {
    if (!isOver && socket.writable) socket.write(slow ? request.subarray(0, 1_000) : request);
  };
  socket.on('connect', send);
  socket.on('error', () => {
    // The server may close the connection in the middle of a body.
  });
  socket.on('data', (chunk) => {
    const status = /^HTTP\/1\.1 (\d{3})/.exec(chunk.toString('latin1', 0, 12))?.[1];
    if (status === undefined) return;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    setTimeout(send, pauseMs);
  });
  socket.on('close', () => {
    sockets.delete(socket);
    setTimeout(open, pauseMs);
  });
}
for (let n = 0; n < connections; n++) open();
const dribble = setInterval(() => {
  if (slow) for (const socket of sockets) if (socket.writable) socket.write('[');
}, 1_000);

await once(process, 'message');
isOver = true;
clearInterval(dribble);
for (const socket of sockets) socket.destroy();
process.send?.([...statuses], () => process.disconnect());
