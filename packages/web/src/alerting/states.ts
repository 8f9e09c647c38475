import type { AlertInstance } from './instances.ts';

export type AlertState = AlertInstance['state'];
export type Tone = 'firing' | 'pending' | 'ok' | 'off';

/** What people read for each state, and how it is colored. */
export const STATES: Readonly<Record<AlertState, { readonly label: string; readonly tone: Tone }>> = {
  firing: { label: 'Firing', tone: 'firing' },
  recovering: { label: 'Firing, recovering', tone: 'firing' },
  no_data: { label: 'No data', tone: 'firing' },
  error: { label: 'Query fails', tone: 'firing' },
  pending: { label: 'Pending', tone: 'pending' },
  resolved: { label: 'Resolved', tone: 'ok' },
  inactive: { label: 'Inactive', tone: 'off' },
};

export function toneOf(state: string): Tone {
  return Object.hasOwn(STATES, state) ? STATES[state as AlertState].tone : 'off';
}
