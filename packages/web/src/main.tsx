import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { watchChunks } from './app/missing-chunk.ts';
import { followOtherSaves } from './app/other-saves.ts';
import { queryClient } from './app/query-client.ts';
import { loadPage, router } from './app/router.tsx';
import { UiProvider } from './ui/provider.tsx';

watchChunks();
followOtherSaves();
loadPage(location.pathname);

const element = document.getElementById('root');
if (!element) throw new Error('index.html has no #root');

createRoot(element).render(
  <StrictMode>
    <UiProvider>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </UiProvider>
  </StrictMode>,
);
