import './mantine-styles.ts';
import '@fontsource/inter/400.css';
import '@fontsource/inter/500.css';
import '@fontsource/inter/600.css';
import '@fontsource/jetbrains-mono/400.css';
import './theme.css';
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import { ConfirmProvider } from './confirm.tsx';
import { styleNonce } from './nonce.ts';
import { cssVariables, theme } from './theme.ts';

// The same key is read by the script in index.html before the first paint.
const colourSchemes = localStorageColorSchemeManager({ key: 'fanion-color-scheme' });

/** Theme, toasts and confirmations: what every page of the kit needs around it. */
export function UiProvider({ children }: { children: ReactNode }) {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      colorSchemeManager={colourSchemes}
      getStyleNonce={styleNonce}
    >
      <Notifications position="bottom-center" autoClose={6000} limit={4} />
      <ConfirmProvider>{children}</ConfirmProvider>
    </MantineProvider>
  );
}
