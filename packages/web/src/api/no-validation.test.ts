import { expect, it, vi } from 'vitest';

vi.mock('zod', () => import('./no-validation.ts'));

it('keeps what the client needs of every contract route', async () => {
  const { allRoutes, routePath } = await import('@fanion/contract');
  expect(allRoutes.length).toBeGreaterThan(50);
  for (const route of allRoutes) {
    expect(route).toMatchObject({
      id: expect.stringMatching(/^[a-z_]+\.[a-z_]+$/),
      method: expect.stringMatching(/^(GET|POST|PUT|PATCH|DELETE)$/),
      path: expect.stringMatching(/^\//),
      prefix: expect.any(String),
    });
    const parameters = Object.fromEntries([...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, 'a b']));
    expect(routePath(route, parameters)).not.toContain('{');
  }
});
