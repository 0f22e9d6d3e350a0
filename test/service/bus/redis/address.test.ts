import { describe, expect, it } from 'vitest';
import { parseRedisUrl } from '../../../../src/service/bus/redis/address.ts';

describe('the address of Redis', () => {
  it.each([
    ['redis://localhost', { url: 'redis://localhost', database: 0, shown: 'redis://localhost/0' }],
    ['redis://localhost:6380/3', { url: 'redis://localhost:6380', database: 3, shown: 'redis://localhost:6380/3' }],
    ['rediss://[::1]:6380/', { url: 'rediss://[::1]:6380', database: 0, shown: 'rediss://[::1]:6380/0' }],
    ['redis://ada:a%2Fb%40c@host/1', { username: 'ada', password: 'a/b@c', shown: 'redis://host/1' }],
    ['redis://:secret@host/1', { username: undefined, password: 'secret', shown: 'redis://host/1' }],
    ['unix:///run/redis.sock', { path: '/run/redis.sock', database: 0, shown: 'unix:///run/redis.sock?db=0' }],
    ['unix://:secret@localhost/run/r%20s?db=4', { path: '/run/r s', database: 4, password: 'secret' }],
  ])('%s is read, and shown without credentials', (text, expected) => {
    const address = parseRedisUrl(text);
    expect(address).toMatchObject(expected);
    expect(address.shown).not.toMatch(/secret|a%2F|a\/b/);
  });

  it.each([
    '',
    'localhost:6379',
    'http://host/1',
    'redis://host/x',
    'redis://host/1/2',
    'redis:///1',
    'unix://',
    'unix:///r?db=-1',
    'redis://:%zz@host/1',
  ])('%s is rejected with the form that is expected, and is not repeated', text => {
    expect(() => parseRedisUrl(text)).toThrow(expect.objectContaining({ code: 'bus_unusable' }));
    expect(() => parseRedisUrl(text)).toThrow('redis://host:port/NUMBER');
  });
});
