import { describe, expect, it } from 'vitest';
import { apiUrl, discordBaseUrl, isPrivate, isSameService, resolveBaseUrl } from '../../src/wire/addresses.ts';

const failure = (code: string, message: RegExp | string) =>
  expect.objectContaining({ name: 'ArgumentError', code, message: expect.stringMatching(message) });

describe('resolveBaseUrl', () => {
  it.each([undefined, null, ''])('has no default: %j is rejected, and the message says what to set', given => {
    expect(() => resolveBaseUrl(given)).toThrow(
      failure('missing_base_url', /^baseUrl is missing\. .*'http:\/\/127\.0\.0\.1:8910'.*RALLYPOINT_BASE_URL/),
    );
  });

  it.each([
    ['http://127.0.0.1:8910', 'http://127.0.0.1:8910'],
    ['http://127.0.0.1:80/', 'http://127.0.0.1'],
    ['https://a.example/api', 'https://a.example'],
    ['https://a.example/api/', 'https://a.example'],
    ['https://a.example/api/v10', 'https://a.example'],
    ['https://a.example/game/', 'https://a.example/game'],
    ['https://a.example/game/api/v10/', 'https://a.example/game'],
    [discordBaseUrl, 'https://discord.com'],
  ])('takes %s for the base URL %s', (given, baseUrl) => {
    expect(resolveBaseUrl(given)).toBe(baseUrl);
    expect(apiUrl(resolveBaseUrl(given))).toBe(`${baseUrl}/api/v10`);
  });

  it.each([
    'https://a.example/api/v9',
    'https://a.example/API',
    'https://a.example/api/v10/api',
    'ftp://a.example',
    'a.example',
    '127.0.0.1:8910',
    'localhost:8910',
    'file:///etc',
    5,
  ])('rejects %j, and repeats it', given => {
    const message = typeof given === 'string' ? `baseUrl .* \\(got "${given}"\\)` : 'baseUrl';
    expect(() => resolveBaseUrl(given)).toThrow(failure('invalid_base_url', message));
  });

  it.each(['https://u:hunter2@a.example', 'https://a.example?token=hunter2', 'https://a.example#hunter2'])(
    'rejects %s without repeating what may be secret',
    given => {
      expect(() => resolveBaseUrl(given)).toThrow(failure('invalid_base_url', /^(?!.*hunter2)/));
    },
  );

  it.each(['http://a.example', 'http://10.0.0.1/api', 'http://127.0.0.1.evil.example'])(
    'rejects %s, where credentials would travel unencrypted, unless that is allowed',
    given => {
      expect(() => resolveBaseUrl(given)).toThrow(failure('insecure_address', /must be https/));
      expect(resolveBaseUrl(given, { allowUnencrypted: true })).toBe(given.replace('/api', ''));
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

describe('isSameService', () => {
  it.each([
    ['https://a.example', 'https://a.example', true],
    ['http://localhost:8910', 'http://127.0.0.1:8910', true],
    ['http://[::1]:8910', 'http://localhost:8910', true],
    ['http://localhost', 'http://127.0.0.1', true],
    ['http://localhost:8910/game', 'http://127.0.0.1:8910/game', true],
    ['http://localhost:8910', 'http://127.0.0.1:8911', false],
    ['http://localhost:8910', 'https://127.0.0.1:8910', false],
    ['http://localhost:8910/game', 'http://127.0.0.1:8910', false],
    ['http://localhost:8910', 'http://127.0.0.2:8910', false],
    ['http://localhost:8910', 'http://localhost.evil.example:8910', false],
    ['http://localhost:8910', 'http://127.0.0.1:8910?x', false],
    ['https://a.example', 'https://A.example', false],
    ['https://a.example', 'nonsense', false],
    ['', 'http://127.0.0.1', false],
  ])('of %s and %s is %s, both ways', (a, b, isSame) => {
    expect([isSameService(a, b), isSameService(b, a)]).toEqual([isSame, isSame]);
  });
});
