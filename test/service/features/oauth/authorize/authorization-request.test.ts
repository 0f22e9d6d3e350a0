import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scopes } from '../../../../../src/model/oauth.ts';
import {
  ada,
  type Form,
  game,
  noChallenge,
  openService,
  site,
  siteRequest,
  soundRequest,
  type TestService,
} from '../support.ts';

let service: TestService;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.close());

/** Where the user's approval of a request leads. */
async function decided(authorizeUrl: string): Promise<URL> {
  return new URL(await service.decide(authorizeUrl));
}

async function answered(changes: Form): Promise<URLSearchParams> {
  return (await decided(service.authorizeUrl(changes))).searchParams;
}

describe('a valid request', () => {
  it('is answered with a code, the state and the issuer, at the redirect it named', async () => {
    const url = await decided(service.authorizeUrl());
    expect(url.origin + url.pathname).toBe(soundRequest.redirect_uri);
    expect([...url.searchParams.keys()]).toEqual(['code', 'state', 'iss']);
    expect(url.searchParams.get('state')).toBe(soundRequest.state);
    expect(url.searchParams.get('iss')).toBe(service.web);
  });

  it('without a redirect goes to the first registered one', async () => {
    const url = await decided(service.authorizeUrl({ redirect_uri: undefined }));
    expect(url.origin + url.pathname).toBe(game.redirect_uris[0]);
  });

  it('without a state is answered without one', async () => {
    expect((await answered({ state: undefined })).has('state')).toBe(false);
  });

  it('gets its state back unchanged, whatever is in it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1 }), async text => {
        const state = text.toWellFormed();
        expect((await answered({ state })).get('state')).toBe(state);
      }),
      { numRuns: 50 },
    );
  });

  it('keeps the query of the registered redirect', async () => {
    const url = await decided(service.authorizeUrl({ ...siteRequest, redirect_uri: 'https://site.example/?from=us' }));
    expect(url.searchParams.get('from')).toBe('us');
    expect(url.searchParams.has('code')).toBe(true);
  });

  it.each([
    ['a client that keeps a secret', siteRequest],
    ['a public client, whose secret the token endpoint then asks for', noChallenge],
  ])('may leave PKCE out where the redirect is a web address: %s', async (_, changes) => {
    expect((await answered(changes)).has('code')).toBe(true);
  });

  it.each(['/oauth2/authorize', '/api/oauth2/authorize', '/api/v10/oauth2/authorize'])('may be at %s', async path => {
    const url = service.authorizeUrl().replace('/oauth2/authorize', path);
    expect((await decided(url)).searchParams.has('code')).toBe(true);
  });

  it.each(['0', '1'])('may name the integration type %s that the application supports', async integration_type => {
    expect((await answered({ integration_type })).has('code')).toBe(true);
  });

  it('may ask for every scope that a user can grant', async () => {
    const grantable = scopes.filter(
      scope => !['applications.commands.update', 'role_connections.write', 'webhook.incoming'].includes(scope),
    );
    expect((await answered({ scope: grantable.join(' ') })).has('code')).toBe(true);
  });

  it('may name the response_mode that its response_type has anyway', async () => {
    expect((await answered({ response_mode: 'query' })).has('code')).toBe(true);
    const token = { ...noChallenge, redirect_uri: 'https://game.example/callback', response_type: 'token' };
    const inFragment = await decided(service.authorizeUrl({ ...token, response_mode: 'fragment' }));
    expect(new URLSearchParams(inFragment.hash.slice(1)).has('access_token')).toBe(true);
    // A token must not be in a query.
    const inQuery = await decided(service.authorizeUrl({ ...token, response_mode: 'query' }));
    expect(new URLSearchParams(inQuery.hash.slice(1)).get('error')).toBe('invalid_request');
  });

  it('may contain unknown parameters', async () => {
    expect((await answered({ permissions: '8', utm_source: 'x' })).has('code')).toBe(true);
  });
});

describe('a request at fault is sent back', () => {
  it.each<[string, Form, string, string?]>([
    ['without response_type', { response_type: undefined }, 'invalid_request', 'Missing "response_type"'],
    ['with response_type id_token', { response_type: 'id_token' }, 'unsupported_response_type'],
    ['with response_type "code token"', { response_type: 'code token' }, 'unsupported_response_type'],
    ['with a request object', { request: 'e30.e30.' }, 'request_not_supported'],
    ['with a request_uri', { request_uri: 'https://game.example/request' }, 'request_uri_not_supported'],
    ['with a registration', { registration: '{}' }, 'registration_not_supported'],
    ['with response_mode form_post', { response_mode: 'form_post' }, 'invalid_request', 'Invalid "response_mode"'],
    ['with response_mode fragment for a code', { response_mode: 'fragment' }, 'invalid_request'],
    ['without a scope', { scope: undefined }, 'invalid_scope'],
    ['with a blank scope', { scope: ' ' }, 'invalid_scope'],
    ['with an unknown scope', { scope: 'identify nonsense' }, 'invalid_scope'],
    ['with a scope in another case', { scope: 'Identify' }, 'invalid_scope'],
    ['with scopes set apart by commas', { scope: 'identify,email' }, 'invalid_scope'],
    ['with a scope that only an application can have', { scope: 'applications.commands.update' }, 'invalid_scope'],
    ['of a public client with role_connections.write', { scope: 'role_connections.write' }, 'invalid_scope'],
    ['with webhook.incoming, which is not offered', { scope: 'webhook.incoming' }, 'invalid_scope'],
    [
      'of a confidential client without PKCE to a custom scheme',
      { ...siteRequest, redirect_uri: 'site:/authorize/callback' },
      'invalid_request',
      'Missing "code_challenge"',
    ],
    [
      'of a public client without PKCE to a custom scheme',
      { ...noChallenge, redirect_uri: 'discord-100:/authorize/callback' },
      'invalid_request',
      'Missing "code_challenge"',
    ],
    ['with the method plain', { code_challenge_method: 'plain' }, 'invalid_request', methodText()],
    ['with the method in another case', { code_challenge_method: 's256' }, 'invalid_request', methodText()],
    ['without a method, which would mean plain', { code_challenge_method: undefined }, 'invalid_request', methodText()],
    [
      'with a method but no challenge',
      { ...siteRequest, code_challenge_method: 'S256' },
      'invalid_request',
      'Missing "code_challenge"',
    ],
    ['with a challenge too short', { code_challenge: 'a'.repeat(42) }, 'invalid_request', 'Invalid "code_challenge"'],
    ['with a challenge too long', { code_challenge: 'a'.repeat(44) }, 'invalid_request', 'Invalid "code_challenge"'],
    ['with a padded challenge', { code_challenge: `${'a'.repeat(43)}=` }, 'invalid_request'],
    ['with a prompt nobody knows', { prompt: 'select_account' }, 'invalid_request', 'Invalid "prompt"'],
    ['with prompt=none and another one', { prompt: 'none login' }, 'invalid_request', 'Invalid "prompt"'],
    ['with a prompt of spaces', { prompt: ' ' }, 'invalid_request', 'Invalid "prompt"'],
    ['with a negative max_age', { max_age: '-1' }, 'invalid_request', 'Invalid "max_age"'],
    ['with a max_age that is no whole number', { max_age: '1.5' }, 'invalid_request', 'Invalid "max_age"'],
    ['with integration type 2', { integration_type: '2' }, 'invalid_request', 'Invalid "integration_type"'],
    ['with integration type 01', { integration_type: '01' }, 'invalid_request', 'Invalid "integration_type"'],
    [
      'with an integration type that the application does not support',
      { ...siteRequest, integration_type: '0' },
      'invalid_request',
      'Invalid "integration_type"',
    ],
    ['with a guild that is no id', { guild_id: 'x' }, 'invalid_request', 'Invalid "guild_id"'],
  ])('%s', async (_, changes, error, description) => {
    const parameters = await answered(changes);
    expect(parameters.get('error')).toBe(error);
    if (description !== undefined) expect(parameters.get('error_description')).toBe(description);
    expect(parameters.get('state')).toBe(soundRequest.state);
    expect(parameters.get('iss')).toBe(service.web);
    expect(parameters.has('code')).toBe(false);
  });

  it.each(['scope', 'state', 'nonce', 'response_type', 'code_challenge', 'prompt', 'max_age'])(
    'with %s twice',
    async name => {
      const url = `${service.authorizeUrl({ nonce: 'n', prompt: 'consent', max_age: '60' })}&${name}=identify`;
      const parameters = (await decided(url)).searchParams;
      expect(parameters.get('error')).toBe('invalid_request');
      expect(parameters.get('state')).toBe(name === 'state' ? null : soundRequest.state);
    },
  );

  it('even when the user would have cancelled', async () => {
    const answer = await service.decide(service.authorizeUrl({ scope: 'nonsense' }), ada.id, 'deny');
    expect(new URL(answer).searchParams.get('error')).toBe('invalid_scope');
  });
});

describe('a request is never redirected', () => {
  const redirect = 'Invalid OAuth2 redirect_uri';
  const client = 'Invalid OAuth2 client_id';
  it.each<[string, (url: string) => string, string]>([
    ['with an unregistered redirect', () => service.authorizeUrl({ redirect_uri: 'https://evil.example/' }), redirect],
    ['with the redirect twice', url => `${url}&redirect_uri=https%3A%2F%2Fgame.example%2Fcallback`, redirect],
    [
      'with the redirect twice, the other first',
      url => url.replace('?', '?redirect_uri=https://evil.example&'),
      redirect,
    ],
    ['of an unknown client', () => service.authorizeUrl({ client_id: '404' }), client],
    ['without a client', () => service.authorizeUrl({ client_id: undefined }), client],
    ['with the client twice', url => `${url}&client_id=${site.id}`, client],
  ])('%s', async (_, urlOf, message) => {
    const authorizeUrl = urlOf(service.authorizeUrl());
    await expect(service.decide(authorizeUrl)).rejects.toMatchObject({ message, status: 400 });
    const response = await fetch(authorizeUrl, { redirect: 'manual' });
    expect(response.status).toBe(400);
    expect(response.headers.has('location')).toBe(false);
    expect(await response.text()).toContain(message);
  });
});

describe('a decision', () => {
  it('to cancel answers access_denied in the interface’s words', async () => {
    expect(await service.decide(service.authorizeUrl(), ada.id, 'deny')).toBe(
      `${soundRequest.redirect_uri}?error=access_denied&error_description=The+resource+owner+or+authorization+server` +
        `+denied+the+request&state=${soundRequest.state}&iss=${encodeURIComponent(service.web)}`,
    );
  });

  it('of an unknown user is rejected', async () => {
    const refusal = { status: 404, message: 'Unknown User' };
    await expect(service.decide(service.authorizeUrl(), '404')).rejects.toMatchObject(refusal);
  });

  it.each(['nonsense', 'http://[', '/oauth2/token?client_id=100', 'https://x.example/'])(
    'on the address %j, which is no authorization page, is rejected',
    async authorizeUrl => {
      await expect(service.decide(authorizeUrl)).rejects.toMatchObject({ status: 400 });
    },
  );
});

function methodText(): string {
  return 'Unsupported "code_challenge_method"';
}
