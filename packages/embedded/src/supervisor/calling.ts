import type { ChildProcess } from 'node:child_process';
import type { Calls, FromChild } from './messages.ts';

/** Calls functions of a child process. */
export type CallChild<Offered extends Calls> = <Name extends keyof Offered & string>(
  name: Name,
  ...args: Parameters<Offered[Name]>
) => Promise<Awaited<ReturnType<Offered[Name]>>>;

let lastId = 0;

/** Calls functions of this child. A call rejects with the message of its error, or when the child dies first. */
export function callingChild<Offered extends Calls>(child: ChildProcess): CallChild<Offered> {
  return (name, ...args) =>
    new Promise((resolve, reject) => {
      const id = ++lastId;
      const end = () => {
        child.off('message', onMessage);
        child.off('exit', onExit);
      };
      const onMessage = (message: FromChild<unknown>) => {
        if (message.type !== 'called' || message.id !== id) return;
        end();
        if (message.error !== undefined) reject(new Error(message.error));
        // The child runs the function of this name and type.
        else resolve(message.result as Awaited<ReturnType<Offered[typeof name]>>);
      };
      const onExit = () => {
        end();
        reject(new Error('the store has died meanwhile'));
      };
      child.on('message', onMessage);
      child.once('exit', onExit);
      child.send({ type: 'call', id, name, args }, (error) => {
        if (error === null) return;
        end();
        reject(error);
      });
    });
}
