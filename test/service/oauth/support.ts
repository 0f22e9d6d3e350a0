import { randomUUID } from 'node:crypto';
import { limitProfiles } from '../../../src/model/limits.ts';
import type { TokenResponse } from '../../../src/model/oauth.ts';
import { Activity } from '../../../src/service/activity.ts';
import { localBus } from '../../../src/service/bus/local.ts';
import type { Core } from '../../../src/service/core.ts';
import { createCredentials } from '../../../src/service/domain/credentials.ts';
import type { Handlers } from '../../../src/service/http/call.ts';
import { createHttpServer } from '../../../src/service/http/server.ts';
import { snowflakeSource } from '../../../src/service/ids.ts';
import { Journal } from '../../../src/service/journal.ts';
import { type Authorization, createAuthorization } from '../../../src/service/oauth/authorization.ts';
import { registerAuthorizationPages } from '../../../src/service/oauth/pages/authorization-pages.ts';
import { oauthRoutes } from '../../../src/service/routes/oauth.ts';
import { hashSecret } from '../../../src/service/secret.ts';
import type { ApplicationRecord, GuildRecord, UserRecord } from '../../../src/service/store/records.ts';
import { openSqliteStore } from '../../../src/service/store/sqlite/store.ts';
import { codeChallengeOf, createCodeVerifier } from '../../../src/wire/pkce.ts';
import { silentLogger, systemEntropy, systemFetch } from '../../../src/wire/ports.ts';
import { routes } from '../../../src/wire/routes.ts';
import { VirtualClock } from '../../../src/wire/virtual-clock.ts';

export const secret = 'a secret+with%odd:characters';

/** A game on players' machines: a public client. */
export const game: ApplicationRecord = {
  id: '100',
  name: 'Starfall',
  description: '',
  owner_id: '9',
  bot_token_hash: hashSecret('bot-100'),
  client_secret_hash: hashSecret(secret),
  public_client: true,
  redirect_uris: ['http://127.0.0.1/callback', 'discord-100:/authorize/callback', 'https://game.example/callback'],
  embedded: false,
  discoverable: false,
  integration_types: [0, 1],
  interactions_endpoint_url: null,
  verify_key: '00',
  signing_key: '',
};

/** A web site: it keeps a secret. */
export const site: ApplicationRecord = {
  ...game,
  id: '200',
  name: 'Site',
  bot_token_hash: hashSecret('bot-200'),
  public_client: false,
  redirect_uris: ['https://site.example/callback?from=rallypoint', 'site:/authorize/callback'],
  integration_types: [1],
};

export const ada: UserRecord = { id: '9', username: 'ada', global_name: 'Ada', locale: 'de', adult: true };
export const ben: UserRecord = { id: '10', username: 'ben', global_name: null, locale: 'en-US', adult: true };

const guild: GuildRecord = {
  id: '5',
  name: 'Guild',
  owner_id: ada.id,
  locale: 'en-US',
  applications: [],
  roles: [{ id: '5', name: '@everyone', permissions: '0', position: 0 }],
  channels: [],
};

export interface Form {
  readonly [field: string]: string | undefined;
}

export type TestService = Awaited<ReturnType<typeof openService>>;

/** The OAuth2 room behind the real HTTP door, on a virtual clock and a store in memory. */
export async function openService(startMs = Date.now()) {
  const activity = new Activity();
  const clock = new VirtualClock(startMs, () => activity.settled());
  const bus = localBus(clock);
  const store = await openSqliteStore({ location: ':memory:', sink: announced => bus.publish(announced) });
  const addresses = { web: '', api: '', gateway: '' };
  const core: Core = {
    clock,
    entropy: systemEntropy,
    fetch: systemFetch,
    log: { ...silentLogger, error: (fields, message) => console.error(message, fields) },
    store,
    bus,
    limits: limitProfiles.off,
    ids: snowflakeSource(clock, 0),
    journal: new Journal(clock),
    addresses,
  };
  const authorization: Authorization = createAuthorization(core);
  const handlers = { ...elsewhere(), ...oauthRoutes(authorization) };
  const app = createHttpServer(core, { credentials: createCredentials(core), handlers, activity });
  registerAuthorizationPages(app, authorization, core);
  addresses.web = await app.listen({ host: '127.0.0.1', port: 0 });
  addresses.api = `${addresses.web}/api`;

  await store.transact('fixtures', transaction => {
    for (const application of [game, site]) transaction.put('applications', application);
    for (const user of [ada, ben]) transaction.put('users', user);
    transaction.put('guilds', guild);
    for (const user_id of [ada.id, ben.id]) {
      transaction.put('guild_members', { guild_id: guild.id, user_id, roles: [], nick: null, joined_at_ms: startMs });
    }
  });

  function authorizeUrl(changes: Form = {}): string {
    return `${addresses.web}/oauth2/authorize?${query({ ...soundRequest, ...changes })}`;
  }

  /** What the user's approval leads to. */
  async function approve(changes: Form = {}, userId = ada.id): Promise<URLSearchParams> {
    const decision = { authorizeUrl: authorizeUrl(changes), userId, decision: 'approve' } as const;
    return new URL((await authorization.decide(decision)).redirectTo).searchParams;
  }

  async function token(form: Form, headers: Readonly<Record<string, string>> = {}) {
    return reply(await fetch(`${addresses.api}/v10/oauth2/token`, { method: 'POST', headers, body: query(form) }));
  }

  return {
    core,
    clock,
    store,
    authorization,
    web: addresses.web,
    api: `${addresses.api}/v10`,
    authorizeUrl,
    approve,
    token,

    /** A code, freshly granted. */
    async code(changes: Form = {}, userId = ada.id): Promise<string> {
      const code = (await approve(changes, userId)).get('code');
      if (code === null) throw new Error('The request was not granted.');
      return code;
    },

    exchange: (code: string, changes: Form = {}) => token({ ...soundExchange, code, ...changes }),

    /** Tokens, freshly granted. */
    async signIn(changes: Form = {}, userId = ada.id): Promise<TokenResponse & { refresh_token: string }> {
      const { status, body } = await this.exchange(await this.code(changes, userId));
      if (status !== 200) throw new Error(`The code was not exchanged: ${JSON.stringify(body)}`);
      return body as unknown as TokenResponse & { refresh_token: string };
    },

    refresh: (refreshToken: string, changes: Form = {}) =>
      token({ grant_type: 'refresh_token', client_id: game.id, refresh_token: refreshToken, ...changes }),

    async revoke(form: Form, headers: Readonly<Record<string, string>> = {}) {
      return reply(
        await fetch(`${addresses.api}/v10/oauth2/token/revoke`, {
          method: 'POST',
          headers,
          body: query({ client_id: game.id, ...form }),
        }),
      );
    },

    async get(path: string, accessToken?: string) {
      const headers: Record<string, string> =
        accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` };
      return reply(await fetch(`${addresses.api}/v10${path}`, { headers }));
    },

    async close(): Promise<void> {
      await app.close();
      await store.close();
      await bus.close();
    },
  };
}

export const verifier = createCodeVerifier(systemEntropy);

export const soundRequest = {
  client_id: game.id,
  response_type: 'code',
  scope: 'openid identify',
  redirect_uri: 'http://127.0.0.1:4321/callback',
  state: randomUUID(),
  code_challenge: codeChallengeOf(verifier),
  code_challenge_method: 'S256',
} as const;

export const soundExchange = {
  grant_type: 'authorization_code',
  client_id: game.id,
  redirect_uri: soundRequest.redirect_uri,
  code_verifier: verifier,
} as const;

export const siteRequest = {
  client_id: site.id,
  redirect_uri: 'https://site.example/callback?from=rallypoint',
  code_challenge: undefined,
  code_challenge_method: undefined,
} as const;

export function basic(clientId: string, clientSecret: string): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` };
}

export function query(fields: Form): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) parameters.set(name, value);
  return parameters;
}

async function reply(response: Response) {
  const body: Record<string, unknown> = await response.json();
  return { status: response.status, body, headers: response.headers };
}

/** Routes of other rooms: the door insists on a handler for each. */
function elsewhere(): Handlers {
  return Object.fromEntries(Object.keys(routes).map(name => [name, () => ({ status: 501 })]));
}
