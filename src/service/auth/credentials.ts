import type { IncomingMessage } from 'node:http';
import type { ApiErrorName } from '../../model/errors/errors.ts';
import { expandScopes } from '../../model/oauth.ts';
import type { Credential, Route } from '../../wire/routes.ts';
import type { Core } from '../core.ts';
import type { ApplicationRecord, TokenRecord } from '../store/records.ts';
import { apiMessages } from '../support/api-messages.ts';
import { challengeOf } from '../support/challenge.ts';
import { RequestError } from '../support/request-error.ts';
import { hashSecret } from '../support/secret.ts';
import type { ActingTokens } from './acting.ts';
import { mayActAs } from './credentials-epoch.ts';
import type { Principal } from './principal.ts';

/** Finds out whose credential it is. */
export interface Credentials {
  /**
   * @param request its header carries `Bot <token>`, `Bearer <token>`, or the bare token of a user's own client
   * @returns `none` without a header, or with an empty one or one of another scheme (RFC 6750, section 3.1); undefined if the
   *   credential is unknown, expired or revoked, or its user is banned
   */
  authenticate(request: CredentialBearer): Promise<Principal | undefined>;

  /**
   * @param token as Identify carries it: a bot token, bare or with `Bot `; an OAuth2 token with `Bearer `; or the bare token of a
   *   user's own client
   */
  authenticateGateway(token: string): Promise<Principal | undefined>;
}

/** What of a request is read to identify its caller. */
type CredentialBearer = Pick<IncomingMessage, 'headers'>;

/** Bound on the bot tokens whose application is cached. */
const cachedBotsMax = 10_000;

/** @param acting credentials by which the control API acts as somebody */
export function createCredentials(core: Core, acting?: ActingTokens): Credentials {
  // Hash of a bot token → application id. The record is read for every request, and its hash compared, so a stale entry does no harm.
  const applicationIds = new Map<string, string>();

  async function bot(hash: string): Promise<Principal | undefined> {
    const acted = acting?.find(hash);
    if (acted) return acted;
    const id = applicationIds.get(hash);
    const cached = id === undefined ? undefined : await core.store.get('applications', id);
    const application = cached?.bot_token_hash === hash ? cached : await lookUp(hash);
    return application && { kind: 'bot', application };
  }

  async function lookUp(hash: string): Promise<ApplicationRecord | undefined> {
    const [application] = await core.store.list('applications', { index: 'byBotToken', equals: [hash], limit: 1 });
    if (!application) return undefined;
    if (applicationIds.size >= cachedBotsMax) applicationIds.clear();
    applicationIds.set(hash, application.id);
    return application;
  }

  async function issued(hash: string): Promise<Principal | undefined> {
    const acted = acting?.find(hash);
    if (acted) return acted;
    const token = await core.store.get('tokens', hash);
    if (!token || (token.expires_at_ms !== null && token.expires_at_ms <= core.clock.now())) return undefined;
    if (token.kind === 'access') return player(token);
    if (token.kind === 'application') return client(token);
    return token.kind === 'session' ? ownClient(token) : undefined;
  }

  async function player(token: TokenRecord): Promise<Principal | undefined> {
    // Asked for together, so that a store outside this process answers them at once.
    const { store } = core;
    const [authorization, application, user] = await Promise.all([
      store.get('authorizations', token.authorization_id ?? ''),
      store.get('applications', token.application_id ?? ''),
      store.get('users', token.user_id ?? ''),
    ]);
    if (!authorization || !application || !mayActAs(user, authorization)) return undefined;
    return { kind: 'user', application, user, authorization, token, scopes: expandScopes(token.scopes) };
  }

  async function client(token: TokenRecord): Promise<Principal | undefined> {
    const application = await core.store.get('applications', token.application_id ?? '');
    return application && { kind: 'application', application, token, scopes: expandScopes(token.scopes) };
  }

  async function ownClient(token: TokenRecord): Promise<Principal | undefined> {
    const user = await core.store.get('users', token.user_id ?? '');
    return mayActAs(user, token) ? { kind: 'session', user, token } : undefined;
  }

  async function ownClientOf(hash: string): Promise<Principal | undefined> {
    const principal = await issued(hash);
    return principal?.kind === 'session' ? principal : undefined;
  }

  return {
    async authenticateGateway(token) {
      const { scheme, hash } = readToken(token);
      if (scheme === 'Bearer') return issued(hash);
      if (scheme === 'Bot') return bot(hash);
      return (await ownClientOf(hash)) ?? bot(hash);
    },

    async authenticate({ headers: { authorization } }) {
      if (!authorization) return anonymous;
      const { scheme, hash } = readToken(inUsualSpelling(authorization));
      if (scheme === 'Bot') return bot(hash);
      if (scheme === 'Bearer') return issued(hash);
      return authorization.includes(' ') ? anonymous : ownClientOf(hash);
    },
  };
}

const anonymous: Principal = { kind: 'none' };

/** A credential in the form in which it is looked up. */
interface ReadToken {
  readonly scheme: 'Bot' | 'Bearer' | undefined;
  /** As the store keeps it. */
  readonly hash: string;
}

function readToken(text: string): ReadToken {
  if (text.startsWith('Bot ')) return { scheme: 'Bot', hash: hashSecret(text.slice(4)) };
  if (text.startsWith('Bearer ')) return { scheme: 'Bearer', hash: hashSecret(text.slice(7)) };
  return { scheme: undefined, hash: hashSecret(text) };
}

const usualSpelling = /^(?:Bot|Bearer) (?! )/;

/** The name of a scheme is case-insensitive, and one or more spaces follow it. @see RFC 9110, section 11.4 */
function inUsualSpelling(value: string): string {
  if (usualSpelling.test(value)) return value;
  return value.replace(/^(?:(bot)|bearer) +/i, (_, bot) => (bot ? 'Bot ' : 'Bearer '));
}

/** Identifies the caller of a route. A route without a credential ignores what the request carries. */
export async function identify(
  credentials: Credentials,
  route: Route,
  request: CredentialBearer,
): Promise<Principal | undefined> {
  return isOpen(route) ? anonymous : credentials.authenticate(request);
}

/**
 * Checks that the route accepts the caller's credential.
 *
 * @throws RequestError `unauthorized`, `bots_not_allowed`, `only_bots_allowed`, `missing_scope`
 */
export function admit(route: Route, principal: Principal | undefined): Principal {
  if (isOpen(route)) return anonymous;
  if (!principal) throw new RequestError('unauthorized', {}, { challenge: challengeFor(route, 'invalid_token') });
  if (principal.kind === 'none') throw new RequestError('unauthorized', {}, { challenge: challengeFor(route) });
  if (!route.credentials.some(credential => fits(principal, credential))) throw refusal(principal, route);
  return principal;
}

function isOpen({ credentials }: Route): boolean {
  return credentials.includes('none');
}

function fits(principal: Principal, credential: Credential): boolean {
  if (principal.kind === 'bot' || principal.kind === 'session') return credential === principal.kind;
  if (principal.kind === 'none') return false;
  const prefix = `${principal.kind}:`;
  if (!credential.startsWith(prefix)) return false;
  const scope = credential.slice(prefix.length);
  return scope === 'any' || principal.scopes.has(scope);
}

/** The message names the credentials that the route accepts, because the code alone does not. */
function refusal(principal: Principal, route: Route): RequestError {
  const reason = rejectionReason(principal, route);
  const asked = route.credentials.map(nameCredential).join(', or ');
  return new RequestError(reason, { message: `${apiMessages[reason]}: this route accepts ${asked}.` });
}

/** @param error absent: there was no credential */
function challengeFor({ credentials }: Route, error?: 'invalid_token'): string {
  const scheme = credentials.every(credential => credential === 'bot') ? 'Bot' : 'Bearer';
  return challengeOf(scheme, error);
}

function rejectionReason(principal: Principal, route: Route): ApiErrorName {
  if (principal.kind === 'bot') return 'bots_not_allowed';
  if (route.credentials.some(credential => credential.startsWith(`${principal.kind}:`))) return 'missing_scope';
  if (route.credentials.includes('bot')) return 'only_bots_allowed';
  // A client-credentials token acts for the application, as its bot does.
  return principal.kind === 'application' ? 'bots_not_allowed' : 'missing_access';
}

function nameCredential(credential: Credential): string {
  if (credential === 'bot') return 'a bot token ("Authorization: Bot …")';
  if (credential === 'session') return "the token of a user's own client";
  const [kind, scope] = credential.split(':', 2);
  const whose = kind === 'user' ? "a user's" : 'a client-credentials';
  return `${whose} access token ("Authorization: Bearer …")${scope === 'any' ? '' : ` with the scope ${scope}`}`;
}
