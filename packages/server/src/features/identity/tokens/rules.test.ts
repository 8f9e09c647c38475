import { describe, expect, it } from 'vitest';
import { endOfToken, fitToPin, normaliseOrigins } from './rules.ts';

const now = new Date('2026-11-20T12:00:00Z');

describe('permissions and pins', () => {
  it('allows a workspace token any permission', () => {
    expect(fitToPin(['telemetry:query', 'audit:read', 'audit:read'], 'workspace')).toEqual([
      'audit:read',
      'telemetry:query',
    ]);
  });

  it('rejects permissions that reach beyond the pin, and names them all', () => {
    expect(() => fitToPin(['telemetry:query', 'audit:read', 'roles:write'], 'project')).toThrow(
      expect.objectContaining({
        error: 'INVALID_INPUT',
        details: [
          expect.objectContaining({ path: 'permissions.1' }),
          expect.objectContaining({ path: 'permissions.2' }),
        ],
      }),
    );
    expect(() => fitToPin(['projects:write'], 'environment')).toThrow(
      /projects:write has its effect on the whole project/,
    );
    expect(fitToPin(['projects:write'], 'project')).toEqual(['projects:write']);
    expect(fitToPin(['telemetry:ingest'], 'environment')).toEqual(['telemetry:ingest']);
  });
});

describe('the end of a token', () => {
  it('is in the future, or never', () => {
    expect(endOfToken(undefined, null, now)).toBeNull();
    expect(endOfToken('2026-11-20T12:00:01Z', null, now)).toEqual(new Date('2026-11-20T12:00:01Z'));
    expect(() => endOfToken('2026-11-20T12:00:00Z', null, now)).toThrow(/in the past/);
  });

  it('is not after that of the token that creates it', () => {
    const makerEnd = new Date('2026-11-21T00:00:00Z');
    expect(endOfToken(undefined, makerEnd, now)).toEqual(makerEnd);
    expect(() => endOfToken('2026-11-21T00:00:01Z', makerEnd, now)).toThrow(/after the expiry of the token/);
  });
});

describe('origins', () => {
  it('are stored as browsers send them', () => {
    expect(normaliseOrigins(['https://Shop.example:443', 'https://shop.example', 'http://localhost:3000'])).toEqual([
      'https://shop.example',
      'http://localhost:3000',
    ]);
  });

  it('are rejected when no browser could send them', () => {
    expect(() => normaliseOrigins(['https://[::1'])).toThrow(/allowed_origins.0/);
  });
});
