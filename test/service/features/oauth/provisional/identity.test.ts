import { setTimeout as sleep } from 'node:timers/promises';
import { base64url, SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { apiErrors } from '../../../../../src/model/errors/errors.ts';
import type { CurrentAuthorization } from '../../../../../src/service/features/oauth/current-user/claims.ts';
import { verifyMessage } from '../../../../../src/wire/signature.ts';
import { paths } from '../../../../support/http/identity-provider.ts';
import { answerJson } from '../../../../support/http/loopback-server.ts';
import { callApi } from '../../../../support/service/starfall.ts';
import { botIssued, game, openProvisionalWorld, type ProvisionalWorld, plain, rival } from './support.ts';

let world: ProvisionalWorld;
beforeAll(async () => {
  world = await openProvisionalWorld();
});
afterAll(() => world.close());

// What is known of the provider is forgotten after ten minutes.
beforeEach(async () => {
  await world.service.clock.advance(600_000);
  world.provider.begin();
  world.tickets.seen.length = 0;
});

const refusalOf = (reason: keyof typeof apiErrors) => {
  const { status, code } = apiErrors[reason];
  return { status, body: { code } };
};
const nowSeconds = () => Math.floor(world.service.clock.now() / 1000);
const week = 604_800;

let subjects = 0;
/** Somebody who never came before. */
const newSubject = () => `subject-${++subjects}`;

describe('the client of POST /partner-sdk/token', () => {
  it('may leave its secret out when it is public, but not give a wrong one', async () => {
    const token = await world.provider.sign('ada');
    expect((await world.byProof(token)).status).toBe(200);
    expect((await world.byProof(token, 'OIDC', { client_secret: null })).status).toBe(200);
    expect((await world.byProof(token, 'OIDC', { client_secret: game.client_secret })).status).toBe(200);
    for (const client_secret of ['', 'wrong', rival.client_secret]) {
      expect(await world.byProof(token, 'OIDC', { client_secret })).toMatchObject(refusalOf('wrong_client_secret'));
    }
  });

  it('must show its secret when it is not', async () => {
    const token = await world.provider.sign('ada');
    const asRival = (more: object) => world.byProof(token, 'OIDC', { client_id: rival.id, ...more });
    expect(await asRival({})).toMatchObject(refusalOf('wrong_client_secret'));
    expect(await asRival({ client_secret: game.client_secret })).toMatchObject(refusalOf('wrong_client_secret'));
    expect((await asRival({ client_secret: rival.client_secret })).status).toBe(200);
  });

  it('must be there, and may use provisional accounts', async () => {
    const token = await world.provider.sign('ada');
    expect(await world.byProof(token, 'OIDC', { client_id: '42' })).toMatchObject(refusalOf('unknown_application'));
    const asPlain = { client_id: plain.id, client_secret: plain.client_secret };
    expect(await world.byProof(token, 'OIDC', asPlain)).toMatchObject(refusalOf('provisional_accounts_disabled'));
  });

  it('is let in no more after thirty wrong secrets in a minute, whatever it shows', async () => {
    const limited = await openProvisionalWorld({ limits: { name: 'off', asOf: '', buckets: guessed } });
    const token = await limited.provider.sign('ada');
    for (let attempt = 1; attempt <= 3; attempt++) {
      expect((await limited.byProof(token, 'OIDC', { client_secret: 'wrong' })).status).toBe(400);
    }
    const right = { client_secret: game.client_secret };
    expect((await limited.byProof(token, 'OIDC', right)).status).toBe(429);
    await limited.service.clock.advance(60_000);
    expect((await limited.byProof(await limited.provider.sign('ada'), 'OIDC', right)).status).toBe(200);
    await limited.close();
  });
});

const guessed = { 'oauth-proof': { requests: 3, windowMs: 60_000 } } as const;

describe('an ID token', () => {
  it('leads the same player to the same account, with any credential and signing key', async () => {
    world.provider.addKey('key-2', 'ES256');
    const first = await world.userOf(world.token(await world.byProof(await world.provider.sign('ada'))));
    const signed = await world.provider.sign('ada', {}, { kid: 'key-2' });
    await world.service.clock.advance(10_000);
    expect(await world.userOf(world.token(await world.byProof(signed)))).toEqual(first);
    const other = await world.userOf(world.token(await world.byProof(await world.provider.sign('ben'))));
    expect(other.id).not.toBe(first.id);
  });

  it('names a new account by its preferred_username, if that can be a name here, and changes no name later', async () => {
    const called = async (subject: string, preferred_username: unknown) =>
      (await world.userOf(world.token(await world.byProof(await world.provider.sign(subject, { preferred_username })))))
        .global_name;
    const ada = newSubject();
    expect(await called(ada, 'Ada')).toBe('Ada');
    expect(await called(ada, 'Byron')).toBe('Ada');
    expect(await called(newSubject(), 'x'.repeat(32))).toBe('x'.repeat(32));
    for (const none of ['x'.repeat(33), '', 7]) expect(await called(newSubject(), none)).toBeNull();
  });

  it.each([
    ['that expired just now', () => ({ exp: nowSeconds() }), 'identity_token_expired'],
    ['that never ends', () => ({ exp: undefined }), 'invalid_identity_token'],
    ['of another issuer', () => ({ iss: 'https://elsewhere.example' }), 'identity_token_wrong_issuer'],
    ['of the issuer with a slash', () => ({ iss: `${world.provider.issuer}/` }), 'identity_token_wrong_issuer'],
    ['of no issuer', () => ({ iss: undefined }), 'identity_token_wrong_issuer'],
    ['for somebody else', () => ({ aud: 'other' }), 'identity_token_wrong_audience'],
    ['for nobody', () => ({ aud: undefined }), 'identity_token_wrong_audience'],
    [
      'for several, and not said by whom asked for',
      () => ({ aud: ['other', 'game'] }),
      'identity_token_wrong_audience',
    ],
    [
      'for several, asked for by another',
      () => ({ aud: ['game', 'other'], azp: 'other' }),
      'identity_token_wrong_audience',
    ],
    ['for us, asked for by another', () => ({ azp: 'other' }), 'identity_token_wrong_audience'],
    ['for us, asked for by nobody that is known', () => ({ azp: 7 }), 'identity_token_wrong_audience'],
    ['issued a second more than a week ago', () => ({ iat: nowSeconds() - week - 1 }), 'identity_token_too_old'],
    ['issued in the future', () => ({ iat: nowSeconds() + 62 }), 'invalid_identity_token'],
    ['not valid yet', () => ({ nbf: nowSeconds() + 62 }), 'invalid_identity_token'],
    ['of no time', () => ({ iat: undefined }), 'invalid_identity_token'],
    ['about nobody', () => ({ sub: undefined }), 'invalid_identity_token'],
    ['about an empty subject', () => ({ sub: '' }), 'invalid_identity_token'],
    ['about a subject of 1,025 characters', () => ({ sub: 'x'.repeat(1025) }), 'invalid_identity_token'],
    ['about a subject with a lone surrogate', () => ({ sub: '\ud800' }), 'invalid_identity_token'],
  ] as const)('%s is refused', async (_, claims, reason) => {
    const answer = await world.byProof(await world.provider.sign('ada', claims()));
    expect(answer).toMatchObject(refusalOf(reason));
  });

  it.each([
    ['that has a second left', () => ({ exp: nowSeconds() + 1 })],
    ['issued a week ago', () => ({ iat: nowSeconds() - week })],
    ['issued by a clock a little ahead', () => ({ iat: nowSeconds() + 59 })],
    ['for several, and asked for by us', () => ({ aud: ['other', 'game'], azp: 'game' })],
    ['for us in a list', () => ({ aud: ['game'] })],
    ['for us, and asked for by us', () => ({ azp: 'game' })],
    ['about a subject of 1,024 characters', () => ({ sub: 'x'.repeat(1024) })],
  ])('%s is taken', async (_, claims) => {
    expect((await world.byProof(await world.provider.sign('ada', claims()))).status).toBe(200);
  });

  it.each(['x', '..', 'a.b.c', 'e30.e30.e30', `${'a'.repeat(10_000)}.b.c`])('%.20s is rejected', async token => {
    const { status, body } = await world.byProof(token);
    expect(status).toBe(400);
    expect([530020, 530027]).toContain(body.code);
  });

  it('without kid is rejected by its own code', async () => {
    const token = await world.provider.sign('ada', {}, { header: { kid: '' } });
    expect(await world.byProof(token)).toMatchObject(refusalOf('identity_token_without_key_id'));
    const [, payload = '', signature = ''] = token.split('.');
    const bare = `${base64url.encode(JSON.stringify({ alg: 'RS256' }))}.${payload}.${signature}`;
    expect(await world.byProof(bare)).toMatchObject(refusalOf('identity_token_without_key_id'));
  });

  it.each(['none', 'HS256', 'RS512', 'PS256'])('by %s is rejected, without a request to the provider', async alg => {
    const [, payload = ''] = (await world.provider.sign('ada')).split('.');
    const token = `${base64url.encode(JSON.stringify({ alg, kid: 'key-1' }))}.${payload}.AAAA`;
    expect(await world.byProof(token)).toMatchObject(refusalOf('invalid_identity_token'));
    expect(world.provider.asked(paths.configuration)).toBe(0);
  });

  it('signed with the public key as a secret is rejected', async () => {
    const keys = await (await fetch(`${world.provider.issuer}${paths.keys}`)).text();
    const claims = { iss: world.provider.issuer, aud: 'game', sub: 'ada', iat: nowSeconds(), exp: nowSeconds() + 60 };
    const token = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', kid: 'key-1' })
      .sign(new TextEncoder().encode(keys));
    expect(await world.byProof(token)).toMatchObject(refusalOf('invalid_identity_token'));
  });

  it('whose claims were changed is rejected', async () => {
    const [header, , signature] = (await world.provider.sign('ada')).split('.');
    const [, payload] = (await world.provider.sign('ben')).split('.');
    const answer = await world.byProof(`${header}.${payload}.${signature}`);
    expect(answer).toMatchObject(refusalOf('invalid_identity_token'));
  });

  it('of the same issuer and subject but another type is another player', async () => {
    const token = await world.provider.sign('ada');
    const one = await world.userOf(world.token(await world.byProof(token)));
    const other = await world.userOf(world.token(await world.byProof(token, 'APPLE_ID_TOKEN')));
    expect(other.id).not.toBe(one.id);
  });
});

describe('the provider', () => {
  it('is asked once, however many come, and again after ten minutes', async () => {
    const token = await world.provider.sign('ada', { exp: nowSeconds() + 3600 });
    await Promise.all(Array.from({ length: 10 }, () => world.byProof(token)));
    await world.service.clock.advance(600_000 - 1);
    await world.byProof(token);
    expect(world.provider.asked(paths.keys)).toBe(1);
    await world.service.clock.advance(1);
    await world.byProof(token);
    expect(world.provider.asked(paths.keys)).toBe(2);
    expect(world.provider.asked(paths.configuration)).toBe(2);
  });

  it('is asked again for a key it has since published, but not more often than every ten seconds', async () => {
    await world.byProof(await world.provider.sign('ada'));
    world.provider.addKey('key-2');
    const token = await world.provider.sign('ada', {}, { kid: 'key-2' });
    expect(await world.byProof(token)).toMatchObject(refusalOf('invalid_identity_token'));
    await world.service.clock.advance(10_000 - 1);
    expect((await world.byProof(token)).status).toBe(400);
    expect(world.provider.asked(paths.keys)).toBe(1);
    await world.service.clock.advance(1);
    expect((await world.byProof(token)).status).toBe(200);
    expect(world.provider.asked(paths.keys)).toBe(2);
  });

  it('that withdrew a key vouches for its tokens no more once it is asked', async () => {
    const token = await world.provider.sign('ada');
    await world.byProof(token);
    world.provider.withdrawKey('key-1');
    await world.service.clock.advance(600_000);
    expect(await world.byProof(token)).toMatchObject(refusalOf('invalid_identity_token'));
  });

  it.each([
    ['nothing', undefined],
    ['an error', (_: unknown, response: Parameters<typeof answerJson>[0]) => answerJson(response, 500, {})],
    ['no JSON', (_: unknown, response: Parameters<typeof answerJson>[0]) => response.end('hello')],
    [
      'another issuer',
      saying(() => ({ issuer: 'https://elsewhere.example', jwks_uri: `${world.provider.issuer}/keys` })),
    ],
    ['no address of keys', saying(() => ({ issuer: world.provider.issuer }))],
    ['an address that is none', saying(() => ({ issuer: world.provider.issuer, jwks_uri: 'keys' }))],
    [
      'an unprotected address',
      saying(() => ({ issuer: world.provider.issuer, jwks_uri: 'http://elsewhere.example/' })),
    ],
    ['too much', saying(() => ({ issuer: world.provider.issuer, more: 'x'.repeat(256 * 1024) }))],
    [
      'a way elsewhere',
      (_: unknown, response: Parameters<typeof answerJson>[0]) =>
        answerJson(response, 302, {}, { location: `${world.provider.issuer}/else` }),
    ],
  ])('that says %s of itself is not found', async (_, how) => {
    world.provider.say(paths.configuration, how ?? ((_request, response) => answerJson(response, 404, {})));
    const token = await world.provider.sign('ada');
    expect(await world.byProof(token)).toMatchObject(refusalOf('identity_provider_not_found'));
    world.provider.say(paths.configuration);
    expect((await world.byProof(token)).status).toBe(400); // a failure is kept for ten seconds
    await world.service.clock.advance(10_000);
    expect((await world.byProof(token)).status).toBe(200);
  });

  it.each([
    ['nothing', (_: unknown, response: Parameters<typeof answerJson>[0]) => answerJson(response, 404, {}), 530009],
    ['no JSON', (_: unknown, response: Parameters<typeof answerJson>[0]) => response.end('hello'), 530012],
    ['no keys', saying(() => ({})), 530012],
    ['keys that are none', saying(() => ({ keys: [7] })), 530012],
    [
      'a key that is broken',
      saying(() => ({ keys: [{ kty: 'RSA', kid: 'key-1', alg: 'RS256', n: 'AQ', e: 'AQAB' }] })),
      530012,
    ],
    ['a secret key', saying(() => ({ keys: [{ kty: 'oct', kid: 'key-1', k: 'AAAA' }] })), 530020],
  ])('that says %s where its keys should be is told by its own code', async (_, how, code) => {
    world.provider.say(paths.keys, how);
    expect(await world.byProof(await world.provider.sign('ada'))).toMatchObject({ status: 400, body: { code } });
  });

  it('that does not answer holds a player up for five seconds', async () => {
    let reached = () => {};
    const isReached = new Promise<void>(resolve => {
      reached = resolve;
    });
    world.provider.say(paths.configuration, () => reached());
    let answer: unknown;
    const asked = world.byProof(await world.provider.sign('ada')).then(given => {
      answer = given;
    });
    await isReached;
    await world.service.clock.advance(4_999);
    await sleep(0);
    expect(answer).toBeUndefined();
    await world.service.clock.advance(1);
    await asked;
    expect(answer).toMatchObject(refusalOf('identity_provider_not_found'));
  });

  it('that is not configured is not found', async () => {
    for (const type of ['EPIC_ONLINE_SERVICES_ID_TOKEN', 'EPIC_ONLINE_SERVICES_ACCESS_TOKEN']) {
      expect(await world.byProof('x', type)).toMatchObject(refusalOf('identity_provider_not_found'));
    }
  });
});

function saying(document: () => unknown) {
  return (_: unknown, response: Parameters<typeof answerJson>[0]) => answerJson(response, 200, document());
}

describe('a ticket', () => {
  it('is shown to the address that the application configured, signed with the application’s key', async () => {
    const first = await world.userOf(world.token(await world.byProof('ada', 'STEAM_SESSION_TICKET')));
    expect(await world.userOf(world.token(await world.byProof('ada', 'STEAM_SESSION_TICKET')))).toEqual(first);
    const [question] = world.tickets.seen;
    expect(JSON.parse(question?.body ?? '')).toEqual({
      application_id: game.id,
      external_auth_type: 'STEAM_SESSION_TICKET',
      external_auth_token: 'ada',
    });
    const { headers, body } = question ?? { headers: {} as Record<string, string>, body: '' };
    const [signature, timestamp] = [headers['x-signature-ed25519'], headers['x-signature-timestamp']];
    expect(verifyMessage(await verifyKey(), String(signature), String(timestamp), body)).toBe(true);
  });

  it('that is malformed is an invalid token', async () => {
    expect(await world.byProof('none', 'STEAM_SESSION_TICKET')).toMatchObject(refusalOf('invalid_access_token'));
  });
});

/** The key that the application's outgoing requests are verified with. */
async function verifyKey(): Promise<string> {
  const headers = world.as(world.token(await world.byBot('ada')));
  const { body } = await callApi(world.service, 'GET', '/oauth2/@me', undefined, headers);
  return (body as CurrentAuthorization).application.verify_key;
}

describe('a token that the bot was given', () => {
  it('proves who the player is', async () => {
    const token = world.token(await world.byBot('ada'));
    const again = world.token(await world.byProof(token, botIssued));
    expect(await world.userOf(again)).toEqual(await world.userOf(token));
  });

  it('proves nothing when it is unknown, another application’s, over, or no bot’s', async () => {
    const token = world.token(await world.byBot('ada'));
    const asRival = { client_id: rival.id, client_secret: rival.client_secret };
    const byOther = world.token(await world.byProof(await world.provider.sign('ben')));
    expect(await world.byProof('unknown', botIssued)).toMatchObject(refusalOf('invalid_access_token'));
    expect(await world.byProof(token, botIssued, asRival)).toMatchObject(refusalOf('invalid_access_token'));
    expect(await world.byProof(byOther, botIssued)).toMatchObject(refusalOf('invalid_access_token'));
    await world.service.clock.advance(week * 1000);
    expect(await world.byProof(token, botIssued)).toMatchObject(refusalOf('invalid_access_token'));
  });
});
