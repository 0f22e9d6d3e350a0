import { expandScopes } from '../../model/oauth.ts';
import type { Core } from '../core.ts';
import type { Principal } from '../http/call.ts';
import { hashSecret } from '../secret.ts';
import type { MaybePromise } from '../store/contract.ts';
import type { ApplicationRecord, TokenRecord } from '../store/records.ts';

/** Tells who is behind a credential. */
export interface Credentials {
  /**
   * @param authorization the header's value: `Bot <token>`, `Bearer <token>`, or a user's own client's bare token
   * @returns `none` without a header; undefined when the credential is unknown, expired or ended
   */
  authenticate(authorization: string | undefined): MaybePromise<Principal | undefined>;

  /**
   * @param token as Identify carries it: a bot token bare or with `Bot `, an OAuth2 token with `Bearer `, a user's own
   *   client's token bare
   */
  authenticateGateway(token: string): Promise<Principal | undefined>;
}

// More bot tokens than this are looked up in the store each time.
const rememberedBots = 10_000;

export function createCredentials(core: Core): Credentials {
  // Only where a token's application was found last; whether the token still fits is asked of the record each time.
  const applicationIds = new Map<string, string>();

  async function bot(token: string): Promise<Principal | undefined> {
    const hash = hashSecret(token);
    const id = applicationIds.get(hash);
    const remembered = id === undefined ? undefined : await core.store.get('applications', id);
    const application = remembered?.bot_token_hash === hash ? remembered : await lookUp(hash);
    return application && { kind: 'bot', application };
  }

  async function lookUp(hash: string): Promise<ApplicationRecord | undefined> {
    const [application] = await core.store.list('applications', { index: 'byBotToken', equals: [hash], limit: 1 });
    if (!application) return undefined;
    if (applicationIds.size >= rememberedBots) applicationIds.clear();
    applicationIds.set(hash, application.id);
    return application;
  }

  async function issued(secret: string): Promise<Principal | undefined> {
    const token = await core.store.get('tokens', hashSecret(secret));
    if (!token || (token.expires_at_ms !== null && token.expires_at_ms <= core.clock.now())) return undefined;
    if (token.kind === 'access') return player(token);
    if (token.kind === 'application') return client(token);
    return token.kind === 'session' ? ownClient(token) : undefined;
  }

  async function player(token: TokenRecord): Promise<Principal | undefined> {
    const authorization = await core.store.get('authorizations', token.authorization_id ?? '');
    const application = await core.store.get('applications', token.application_id ?? '');
    const user = await core.store.get('users', token.user_id ?? '');
    if (!authorization || !application || !user) return undefined;
    return { kind: 'user', application, user, authorization, token, scopes: expandScopes(token.scopes) };
  }

  async function client(token: TokenRecord): Promise<Principal | undefined> {
    const application = await core.store.get('applications', token.application_id ?? '');
    return application && { kind: 'application', application, token, scopes: expandScopes(token.scopes) };
  }

  async function ownClient(token: TokenRecord): Promise<Principal | undefined> {
    const user = await core.store.get('users', token.user_id ?? '');
    return user && { kind: 'session', user };
  }

  async function ownClientOf(token: string): Promise<Principal | undefined> {
    const principal = await issued(token);
    return principal?.kind === 'session' ? principal : undefined;
  }

  return {
    async authenticateGateway(token) {
      if (token.startsWith('Bearer ')) return issued(token.slice(7));
      if (token.startsWith('Bot ')) return bot(token.slice(4));
      return (await ownClientOf(token)) ?? bot(token);
    },

    authenticate(authorization) {
      if (authorization === undefined) return nobody;
      if (authorization.startsWith('Bot ')) return bot(authorization.slice(4));
      if (authorization.startsWith('Bearer ')) return issued(authorization.slice(7));
      return ownClientOf(authorization);
    },
  };
}

const nobody: Principal = { kind: 'none' };
