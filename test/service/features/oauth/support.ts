import { randomUUID } from 'node:crypto';
import { deviceCodeGrantType, type TokenResponse } from '../../../../src/model/oauth.ts';
import { snapshotVersion } from '../../../../src/service/control/snapshot.ts';
import type { ServiceOptions } from '../../../../src/service/options.ts';
import { startService } from '../../../../src/service/service.ts';
import type { StoreContent } from '../../../../src/service/store/contract.ts';
import type { Fixtures } from '../../../../src/service/testing/fixtures/document.ts';
import { silentLogger, systemEntropy } from '../../../../src/wire/clock/ports.ts';
import { codeChallengeOf, createCodeVerifier } from '../../../../src/wire/oauth/pkce.ts';

export const secret = 's3cret-with%odd+characters:';

/** A game on players' machines: a public client. */
export const game = {
  id: '100',
  name: 'Starfall',
  owner_id: '9',
  bot_token: 'bot-100',
  client_secret: secret,
  public_client: true,
  redirect_uris: ['http://127.0.0.1/callback', 'discord-100:/authorize/callback', 'https://game.example/callback'],
};

/** A web site: it keeps a secret. */
export const site = {
  ...game,
  id: '200',
  name: 'Site',
  bot_token: 'bot-200',
  public_client: false,
  redirect_uris: ['https://site.example/callback', 'https://site.example/?from=us', 'site:/authorize/callback'],
  integration_types: [1] as const,
};

export const ada = { id: '9', username: 'ada', global_name: 'Ada', locale: 'de' } as const;
export const ben = { id: '10', username: 'ben', global_name: null } as const;
export const guild = { id: '5', name: 'Guild', owner_id: ada.id, members: [{ user_id: ben.id }] } as const;

export interface Form {
  readonly [field: string]: string | undefined;
}

export type TestService = Awaited<ReturnType<typeof openService>>;

/** The whole service on a virtual clock, with what the tests of OAuth2 do to it. */
export async function openService(
  startMs = Date.now(),
  limits: ServiceOptions['limits'] = 'off',
  more: Pick<ServiceOptions, 'signIn' | 'trustedProxies'> = {},
) {
  const service = await startService({
    fixtures: { applications: [game, site], users: [ada, ben], guilds: [guild] },
    clock: { virtualFromMs: startMs },
    limits,
    ...more,
    log: { ...silentLogger, error: (fields, message) => console.error(message, fields) },
  });
  const web = service.webBase;
  const api = `${service.apiBase}/v10`;

  async function control<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(service.controlBase + path, {
      method,
      headers: { authorization: `Bearer ${service.controlToken}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    if (!response.ok) throw Object.assign(new Error(answer.message), { status: response.status });
    return answer;
  }

  function authorizeUrl(changes: Form = {}): string {
    return `${web}/oauth2/authorize?${query({ ...soundRequest, ...changes })}`;
  }

  /** Where the user's answer leads. */
  async function decide(
    url: string,
    userId: string = ada.id,
    decision = 'approve',
    guildId?: string | null,
  ): Promise<string> {
    const body = { authorize_url: url, user_id: userId, decision, guild_id: guildId };
    return (await control<{ redirect_to: string }>('POST', '/consent', body)).redirect_to;
  }

  async function code(changes: Form = {}, userId: string = ada.id): Promise<string> {
    const granted = new URL(await decide(authorizeUrl(changes), userId)).searchParams.get('code');
    if (granted === null) throw new Error('The request was not granted.');
    return granted;
  }

  async function token(form: Form, headers: Readonly<Record<string, string>> = {}) {
    return read(await fetch(`${api}/oauth2/token`, { method: 'POST', headers, body: query(form) }));
  }

  function exchange(granted: string, changes: Form = {}) {
    return token({ ...soundExchange, code: granted, ...changes });
  }

  /** A call of the user's own client. */
  async function asUser(userId: string, method: string, path: string, body: unknown) {
    const { token } = await control<{ token: string }>('POST', `/users/${userId}/session`);
    const headers = { authorization: token, 'content-type': 'application/json' };
    return read(await fetch(api + path, { method, headers, body: JSON.stringify(body) }));
  }

  async function startDevice(form: Form = {}, headers: Readonly<Record<string, string>> = {}) {
    const body = query({ client_id: game.id, scope: 'openid identify', ...form });
    const answer = await read(await fetch(`${api}/oauth2/device/authorize`, { method: 'POST', headers, body }));
    return { ...answer, deviceCode: String(answer.body.device_code), userCode: String(answer.body.user_code) };
  }

  async function signIn(changes: Form = {}, userId: string = ada.id) {
    const { status, body } = await exchange(await code(changes, userId));
    if (status !== 200) throw new Error(`The code was not exchanged: ${JSON.stringify(body)}`);
    return body as unknown as Required<TokenResponse>;
  }

  async function get(path: string, accessToken?: string) {
    const headers: Record<string, string> = accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` };
    return read(await fetch(api + path, { headers }));
  }

  return {
    web,
    api,
    clock: service.clock,
    authorizeUrl,
    decide,
    code,
    token,
    exchange,
    signIn,
    asUser,
    startDevice,
    get,
    close: service.close,
    reset: service.reset,

    pollDevice: (deviceCode: string, changes: Form = {}) =>
      token({ grant_type: deviceCodeGrantType, client_id: game.id, device_code: deviceCode, ...changes }),

    /** What a control call answers to `{user_code, user_id, decision}`. */
    async consentByControl(body: unknown) {
      const headers = { authorization: `Bearer ${service.controlToken}` };
      const response = await fetch(`${service.controlBase}/consent`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      return { status: response.status, text: await response.text() };
    },

    answerDevice: (userCode: string, result = 'granted', userId: string = ada.id) =>
      asUser(userId, 'POST', '/oauth2/device/finish', { user_code: userCode, result }),

    refresh: (refreshToken: string, changes: Form = {}) =>
      token({ grant_type: 'refresh_token', client_id: game.id, refresh_token: refreshToken, ...changes }),

    async revoke(form: Form, headers: Readonly<Record<string, string>> = {}) {
      const body = query({ client_id: game.id, ...form });
      return read(await fetch(`${api}/oauth2/token/revoke`, { method: 'POST', headers, body }));
    },

    /** Whether an access token opens anything. */
    isLive: async (accessToken: unknown) => (await get('/oauth2/@me', String(accessToken))).status === 200,

    addFixtures: (fixtures: Fixtures) => control('POST', '/fixtures', fixtures),
    log: async () => (await control<{ entries: Record<string, unknown>[] }>('GET', '/log')).entries,
    control: { base: service.controlBase, token: service.controlToken },
    /** Puts another content in the place of what there is. */
    async restore(content: StoreContent) {
      const { controlBase, controlToken, clock } = service;
      const answer = await fetch(`${controlBase}/snapshot`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${controlToken}` },
        body: JSON.stringify({ version: snapshotVersion, at_ms: clock.now(), content }),
      });
      if (answer.status !== 204) throw new Error(await answer.text());
    },
    content: async () => (await control<{ content: StoreContent }>('GET', '/snapshot')).content,
  };
}

export const verifier = createCodeVerifier(systemEntropy);

/** The game asks for a code by the book. */
export const soundRequest = {
  client_id: game.id,
  response_type: 'code',
  scope: 'openid identify',
  redirect_uri: 'http://127.0.0.1:4321/callback',
  state: randomUUID(),
  code_challenge: codeChallengeOf(verifier),
  code_challenge_method: 'S256',
} as const;

/** The game exchanges the code of {@link soundRequest}. */
export const soundExchange = {
  grant_type: 'authorization_code',
  client_id: game.id,
  redirect_uri: soundRequest.redirect_uri,
  code_verifier: verifier,
} as const;

/** What a request without PKCE says otherwise. */
export const noChallenge = { code_challenge: undefined, code_challenge_method: undefined } as const;

/** What the site asks otherwise: no PKCE. */
export const siteRequest = {
  client_id: site.id,
  redirect_uri: 'https://site.example/callback',
  ...noChallenge,
} as const;

/** What the site exchanges otherwise. */
export const siteExchange = {
  client_id: site.id,
  client_secret: secret,
  redirect_uri: siteRequest.redirect_uri,
  code_verifier: undefined,
} as const;

export function basic(clientId: string, clientSecret: string): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` };
}

export function query(fields: Form): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) parameters.set(name, value);
  return parameters;
}

async function read(response: Response) {
  const text = await response.text();
  const body: Record<string, unknown> = text === '' ? {} : JSON.parse(text);
  return { status: response.status, body, headers: response.headers };
}
