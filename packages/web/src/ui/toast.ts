import { notifications } from '@mantine/notifications';
import { describeError } from './errors.ts';

/** A short success message that disappears by itself. */
export function toastDone(message: string): void {
  notifications.show({ message, color: 'teal', withBorder: true });
}

/** An error that stays until the user closes it: its message, and its code for a report. */
export function toastError(error: unknown, title = 'The action failed'): void {
  const { message, code, advice } = describeError(error);
  notifications.show({
    title,
    message: [message, advice, code && `(${code})`].filter(Boolean).join(' '),
    color: 'red',
    withBorder: true,
    autoClose: false,
  });
}
