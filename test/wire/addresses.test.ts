import { describe, expect, it } from 'vitest';
import { isPrivate, resolveAddresses } from '../../src/wire/addresses.ts';

describe('resolveAddresses', () => {
  it('is the hosted service unless something else is said', () => {
    expect(resolveAddresses({})).toEqual({
      webBase: 'https://discord.com',
      apiBase: 'https://discord.com/api',
      baseUrl: 'https://discord.com',
    });
  });

  it('takes slashes at the ends off, and keeps a path before /api', () => {
    expect(resolveAddresses({ webBase: 'https://a.example/', apiBase: 'https://b.example/game/api/' })).toEqual({
      webBase: 'https://a.example',
      apiBase: 'https://b.example/game/api',
      baseUrl: 'https://b.example/game',
    });
  });

  it.each([
    'https://a.example',
    'https://a.example/api/v10',
    'https://a.example/API',
    'ftp://a.example/api',
    'api',
    '',
  ])('refuses %j as apiBase', apiBase => {
    expect(() => resolveAddresses({ apiBase })).toThrow(expect.objectContaining({ code: 'invalid_base_url' }));
  });

  it.each(['http://a.example/api', 'http://10.0.0.1/api', 'http://127.0.0.1.evil.example/api'])(
    'refuses %s, where credentials would travel unencrypted, unless that is allowed',
    apiBase => {
      expect(() => resolveAddresses({ apiBase })).toThrow(expect.objectContaining({ code: 'insecure_address' }));
      expect(resolveAddresses({ apiBase }, { allowUnencrypted: true })).toMatchObject({ apiBase });
    },
  );
});

describe('isPrivate', () => {
  it.each(['https://a.example', 'wss://a.example', 'http://127.0.0.1:8', 'ws://localhost:8', 'ws://[::1]:8'])(
    'is true for %s',
    url => expect(isPrivate(new URL(url))).toBe(true),
  );

  it.each([
    'http://a.example',
    'ws://a.example',
    'ws://127.0.0.1.a.example',
    'ftp://127.0.0.1',
    'file:///x',
    'data:,x',
  ])('is false for %s', url => expect(isPrivate(new URL(url))).toBe(false));
});
