import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeChallengeOf } from '../../../../../src/wire/oauth/pkce.ts';
import {
  type Form,
  openService,
  secret,
  site,
  siteExchange,
  siteRequest,
  soundExchange,
  soundRequest,
  type TestService,
} from '../support.ts';

let service: TestService;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.close());

const invalidGrant = (name: string) => ({ status: 400, body: { error: 'invalid_grant', error_description: name } });
const invalidCode = invalidGrant('Invalid "code" in request.');
const otherVerifier = 'z'.repeat(64);

describe('an attacker with a code', () => {
  it.each<[string, Form, object]>([
    [
      'without the verifier',
      { code_verifier: undefined },
      { error: 'invalid_request', error_description: 'Missing "code_verifier"' },
    ],
    ['with another verifier', { code_verifier: otherVerifier }, { error: 'invalid_grant' }],
    [
      'with the challenge in place of the verifier',
      { code_verifier: soundRequest.code_challenge },
      { error: 'invalid_grant' },
    ],
    [
      'with a verifier too short',
      { code_verifier: 'a'.repeat(42) },
      { error: 'invalid_request', error_description: 'Invalid "code_verifier"' },
    ],
    [
      'with a verifier too long',
      { code_verifier: 'a'.repeat(129) },
      { error: 'invalid_request', error_description: 'Invalid "code_verifier"' },
    ],
    [
      'with a verifier of other characters',
      { code_verifier: `${'a'.repeat(63)}!` },
      { error: 'invalid_request', error_description: 'Invalid "code_verifier"' },
    ],
    [
      'with another redirect',
      { redirect_uri: 'https://game.example/callback' },
      { error: 'invalid_request', error_description: 'Invalid "redirect_uri" in request.' },
    ],
    [
      'on another port of the same machine',
      { redirect_uri: 'http://127.0.0.1:4322/callback' },
      { error: 'invalid_request' },
    ],
    ['as another application', { client_id: site.id, client_secret: secret }, invalidCode.body],
    ['as a refresh token', { grant_type: 'refresh_token', refresh_token: 'code' }, { error: 'invalid_grant' }],
    [
      'as the code of a device',
      { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: 'code' },
      { error: 'invalid_grant' },
    ],
  ])('gets nothing %s, and spoils nothing', async (_, changes, body) => {
    const code = await service.code();
    const filled = Object.fromEntries(
      Object.entries(changes).map(([name, value]) => [name, value === 'code' ? code : value]),
    );
    expect(await service.exchange(code, filled)).toMatchObject({ status: 400, body });
    expect((await service.exchange(code)).status).toBe(200);
  });

  it('who put in a challenge of their own gets a code that the victim’s client rejects to the service', async () => {
    const code = await service.code({ code_challenge: codeChallengeOf(otherVerifier) });
    expect(await service.exchange(code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });

  it('who took the challenge out cannot have the client’s verifier pass for proof', async () => {
    const code = await service.code(siteRequest);
    const answer = await service.exchange(code, { ...siteExchange, code_verifier: soundExchange.code_verifier });
    expect(answer.body).toEqual({ error: 'invalid_request', error_description: 'Invalid "code_verifier"' });
  });

  it('and uses it after its owner, with all its proof, ends what it gave, and that alone', async () => {
    const before = await service.signIn();
    const code = await service.code();
    const { body } = await service.exchange(code);
    const { body: refreshed } = await service.refresh(String(body.refresh_token));
    expect(await service.exchange(code)).toMatchObject(invalidCode);
    expect(await service.isLive(refreshed.access_token)).toBe(false);
    expect((await service.refresh(String(refreshed.refresh_token))).status).toBe(400);
    expect(await service.isLive(before.access_token)).toBe(true);
    expect(await service.exchange(code)).toMatchObject(invalidCode);
  });

  it('and uses it after its owner, without the proof, ends nothing', async () => {
    const code = await service.code();
    const { body } = await service.exchange(code);
    expect((await service.exchange(code, { code_verifier: otherVerifier })).status).toBe(400);
    expect(await service.isLive(body.access_token)).toBe(true);
  });
});

describe('a challenge by the method plain', () => {
  it.each([{ code_challenge_method: 'plain' }, { code_challenge_method: undefined }])(
    'is rejected (%j), so that a challenge seen is no verifier',
    async changes => {
      const { searchParams } = new URL(await service.decide(service.authorizeUrl(changes)));
      expect(searchParams.get('error_description')).toBe('Unsupported "code_challenge_method"');
      expect(searchParams.has('code')).toBe(false);
    },
  );
});
