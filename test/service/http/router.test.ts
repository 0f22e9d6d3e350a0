import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Router } from '../../../src/service/http/router.ts';

function routerOf(...routes: readonly string[]): Router<string> {
  const router = new Router<string>();
  for (const route of routes) {
    const [method = '', path = ''] = route.split(' ');
    router.add(method, path, route);
  }
  return router;
}

const router = routerOf(
  'GET /lobbies/{lobby_id}',
  'PUT /lobbies/{lobby_id}/members/{user_id}',
  'DELETE /lobbies/{lobby_id}/members/@me',
  'DELETE /lobbies/{lobby_id}/members/{user_id}',
  'GET /commands/permissions',
  'GET /commands/{command_id}/permissions',
  'GET /commands/{command_id}',
);

describe('the router', () => {
  it.each([
    ['GET', '/lobbies/1', 'GET /lobbies/{lobby_id}', { lobby_id: '1' }],
    ['PUT', '/lobbies/1/members/2', 'PUT /lobbies/{lobby_id}/members/{user_id}', { lobby_id: '1', user_id: '2' }],
    ['DELETE', '/lobbies/1/members/@me', 'DELETE /lobbies/{lobby_id}/members/@me', { lobby_id: '1' }],
    ['PUT', '/lobbies/1/members/@me', 'PUT /lobbies/{lobby_id}/members/{user_id}', { lobby_id: '1', user_id: '@me' }],
    ['GET', '/commands/permissions', 'GET /commands/permissions', {}],
    [
      'GET',
      '/commands/permissions/permissions',
      'GET /commands/{command_id}/permissions',
      { command_id: 'permissions' },
    ],
    ['GET', '/%6cobbies/a%20b%2Fc', 'GET /lobbies/{lobby_id}', { lobby_id: 'a b/c' }],
  ])('leads %s %s to %s', (method, target, value, params) => {
    expect(router.find(method, target)).toMatchObject({ value, params, query: {} });
  });

  it.each([
    ['POST', '/lobbies/1'],
    ['GET', '/lobbies'],
    ['GET', '/lobbies/'],
    ['GET', '/lobbies/1/'],
    ['GET', '//lobbies/1'],
    ['GET', '/'],
    ['GET', ''],
    ['', '/lobbies/1'],
  ])('leads %j %j nowhere', (method, target) => {
    expect(router.find(method, target)).toBeUndefined();
  });

  it('takes parameters of 2,048 characters, and of no more', () => {
    expect(router.find('GET', `/lobbies/${'1'.repeat(2048)}`)).toMatchObject({
      params: { lobby_id: '1'.repeat(2048) },
    });
    expect(router.find('GET', `/lobbies/${'1'.repeat(2049)}`)).toBeUndefined();
  });

  it('reads the query, repeated names as lists', () => {
    expect(router.find('GET', '/lobbies/1?a=1&b=x%20y&b=2&c')?.query).toEqual({ a: '1', b: ['x y', '2'], c: '' });
  });

  it('throws a URIError at a broken escape in the path, and reads past one in the query', () => {
    expect(() => router.find('GET', '/lobbies/%zz')).toThrow(URIError);
    expect(router.find('GET', '/lobbies/1?a=%zz')?.query).toEqual({ a: '%zz' });
  });

  it('gives back whatever a parameter was filled with', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 50, unit: 'grapheme' }), text => {
        fc.pre(text.isWellFormed());
        expect(router.find('GET', `/lobbies/${encodeURIComponent(text)}`)?.params).toEqual({ lobby_id: text });
      }),
    );
  });
});
