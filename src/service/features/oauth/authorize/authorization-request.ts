import type { IntegrationType } from '../../../../model/command.ts';
import { limits } from '../../../../model/limits/limits.ts';
import { installScopes, splitScopes } from '../../../../model/oauth.ts';
import { type GuildId, isSnowflake, type UserId } from '../../../../model/snowflake.ts';
import { codeChallengeMethod, isCodeChallenge } from '../../../../wire/oauth/pkce-form.ts';
import { parseQuery } from '../../../http/body/url-encoded.ts';
import type { ApplicationRecord } from '../../../store/records.ts';
import { RequestError } from '../../../support/request-error.ts';
import { defaultIntegrationType } from '../../accounts/application-view.ts';
import { type OAuthRequestError, oauthFaults } from '../token/oauth-request-error.ts';
import { isCustomSchemeRedirect, isRegisteredRedirect } from './redirect-uri.ts';
import { mayRequest, type ResponseType, requireScopes, type ScopeTerms } from './scope-rules.ts';

/**
 * Parameters by which a client would send its request in another form, so that ignoring them would change what it asks for.
 * OpenID Connect Core, sections 6 and 7.2.1, requires an error of their own.
 */
const unsupportedParameters = ['registration', 'request', 'request_uri'] as const;

/** Parameters of `/oauth2/authorize` that the service reads; others are ignored. @see docs/spec/oauth2.md#authorization-request */
const authorizeParameters = [
  'client_id',
  'code_challenge',
  'code_challenge_method',
  'disable_guild_select',
  'guild_id',
  'integration_type',
  'max_age',
  'nonce',
  'permissions',
  'prompt',
  'redirect_uri',
  ...unsupportedParameters,
  'response_mode',
  'response_type',
  'scope',
  'state',
] as const;

type ParameterName = (typeof authorizeParameters)[number];

/** Where the answer to an authorization request goes. */
export interface ReturnAddress {
  readonly application: ApplicationRecord;
  /** The application's redirect, or a page of this service when nothing goes to the application. */
  readonly redirectUri: string;
  /** Returned unchanged. */
  readonly state: string | null;
  /** Whether the answer is in the fragment, which browsers send to no server: it may be a token. */
  readonly inFragment: boolean;
}

/** An authorization request that may be shown to its user. */
export interface AuthorizationRequest extends ReturnAddress {
  readonly responseType: ResponseType;
  /** The requested scopes: known, at least one, none twice, umbrella scopes not expanded. */
  readonly scopes: readonly string[];
  /** `login`: the user signs in again, and is then asked as with `consent`. */
  readonly prompt: 'consent' | 'login' | 'none';
  /** How long ago the user may have signed in. */
  readonly maxAgeSeconds: number | null;
  readonly nonce: string | null;
  /** S256. */
  readonly codeChallenge: string | null;
  readonly integrationType: IntegrationType;
  /** The guild that is preselected. */
  readonly guildId: string | null;
  /** Whether no other guild can be chosen; false where no guild is preselected. */
  readonly guildLocked: boolean;
  /** The permissions that the bot gets in the guild: bits as decimal text. */
  readonly permissions: string;
}

/** A user's approval. */
export interface Approval {
  readonly request: AuthorizationRequest;
  readonly userId: UserId;
  readonly signedInAtMs: number;
  /** The guild that the application is added to. */
  readonly guildId: GuildId | undefined;
}

/** A request whose answer must not be redirected anywhere: the user sees the error on a page instead. */
export class AuthorizationPageFault extends RequestError {
  /**
   * Which part of the request its developer must correct; `request` stands for everything but the client and the
   * redirect.
   */
  readonly parameter: 'client' | 'redirect' | 'request';

  constructor(parameter: AuthorizationPageFault['parameter'], message: string) {
    super('invalid_form_body', { message });
    this.parameter = parameter;
  }
}

export const pageFaults = {
  client: () => new AuthorizationPageFault('client', 'Invalid OAuth2 client_id'),
  redirect: () => new AuthorizationPageFault('redirect', 'Invalid OAuth2 redirect_uri'),
  request: ({ error, description }: OAuthRequestError) => new AuthorizationPageFault('request', description ?? error),
} as const;

/**
 * Reads where an answer may go. Nothing is redirected before this has succeeded.
 *
 * @param application the one that `client_id` names
 * @param ownPage where the answer goes if the request names neither a redirect nor a response type
 * @throws AuthorizationPageFault when the application is unknown or the redirect is not registered
 */
export function readReturnAddress(
  parameters: URLSearchParams,
  application: ApplicationRecord | undefined,
  ownPage: string,
): ReturnAddress {
  if (!application || isRepeated(parameters, 'client_id')) throw pageFaults.client();
  const named = read(parameters, 'redirect_uri');
  const responseType = read(parameters, 'response_type');
  if (named === undefined && responseType === undefined) {
    return { application, redirectUri: ownPage, state: null, inFragment: false };
  }
  const redirectUri = named ?? application.redirect_uris[0];
  if (
    redirectUri === undefined ||
    isRepeated(parameters, 'redirect_uri') ||
    !isRegisteredRedirect(redirectUri, application.redirect_uris)
  ) {
    throw pageFaults.redirect();
  }
  const state = isRepeated(parameters, 'state') ? null : (read(parameters, 'state') ?? null);
  return { application, redirectUri, state, inFragment: responseType === 'token' };
}

/**
 * Validates the rest of a request.
 *
 * @param ownPage where a request ends that gives nothing to the application
 * @throws OAuthRequestError `invalid_request`, `invalid_scope`, `unsupported_response_type`, `…_not_supported`: to be reported by
 *   redirect
 */
export function validateRequest(given: URLSearchParams, address: ReturnAddress, ownPage: string): AuthorizationRequest {
  checkRepeats(given);
  const unsupported = unsupportedParameters.find(name => read(given, name) !== undefined);
  if (unsupported) throw oauthFaults.unsupported(unsupported);
  const { application } = address;
  const parameters = withInstallParams(given, application);
  const asked = splitScopes(read(parameters, 'scope') ?? '');
  const responseType = validateResponseType(read(parameters, 'response_type'), asked);
  validateResponseMode(parameters, responseType);
  const integrationType = validateIntegrationType(parameters, application);
  const scopes = validateScopes(asked, { application, responseType, integrationType });
  const guildId = validateGuildId(parameters);
  return {
    ...(responseType === 'none' ? { ...address, redirectUri: ownPage, state: null } : address),
    responseType,
    scopes,
    prompt: validatePrompt(parameters),
    maxAgeSeconds: validateMaxAge(parameters),
    nonce: read(parameters, 'nonce') ?? null,
    codeChallenge: validateChallenge(parameters, address, responseType),
    integrationType,
    guildId,
    guildLocked: validateFlag(parameters, 'disable_guild_select') && guildId !== null,
    permissions: validatePermissions(parameters),
  };
}

/** Returns a parameter's value; an empty one counts as missing (RFC 6749, section 3.1). */
function read(parameters: URLSearchParams, name: ParameterName): string | undefined {
  return parameters.get(name) || undefined;
}

function isRepeated(parameters: URLSearchParams, name: ParameterName): boolean {
  return parameters.getAll(name).length > 1;
}

function checkRepeats(parameters: URLSearchParams): void {
  const repeated = authorizeParameters.find(name => isRepeated(parameters, name));
  if (repeated) throw oauthFaults.repeated(repeated);
}

/**
 * Reads `response_type`. Without it the application gets nothing, which is enough for scopes that install it.
 *
 * @param scopes the requested ones
 * @throws OAuthRequestError `unsupported_response_type`; `invalid_request` when it is missing
 * @see docs/spec/oauth2.md#authorization-request; docs/spec/oauth2.md#installation
 */
function validateResponseType(given: string | undefined, scopes: readonly string[]): ResponseType {
  if (given === 'code' || given === 'token') return given;
  if (given !== undefined) throw oauthFaults.responseType();
  if (scopes.length === 0 || !scopes.every(scope => installScopes.has(scope)))
    throw oauthFaults.missing('response_type');
  return 'none';
}

/** Each response type has one mode, its default (OAuth 2.0 Multiple Response Type Encoding Practices, section 2.1). */
function validateResponseMode(parameters: URLSearchParams, responseType: ResponseType): void {
  const mode = read(parameters, 'response_mode');
  if (mode !== undefined && mode !== (responseType === 'token' ? 'fragment' : 'query')) {
    throw oauthFaults.invalid('response_mode');
  }
}

function validateScopes(scopes: readonly string[], terms: ScopeTerms): readonly string[] {
  requireScopes(scopes, scope => mayRequest(scope, terms));
  const { application, responseType } = terms;
  if (scopes.includes('bot') && application.bot_require_code_grant && responseType !== 'code') {
    throw oauthFaults.codeGrantRequired();
  }
  return scopes;
}

function validatePrompt(parameters: URLSearchParams): AuthorizationRequest['prompt'] {
  const prompts = splitScopes(read(parameters, 'prompt') ?? 'consent');
  if (prompts.length === 1 && prompts[0] === 'none') return 'none';
  if (prompts.length === 0 || !prompts.every(prompt => prompt === 'consent' || prompt === 'login'))
    throw oauthFaults.invalid('prompt');
  return prompts.includes('login') ? 'login' : 'consent';
}

function validateMaxAge(parameters: URLSearchParams): number | null {
  const text = read(parameters, 'max_age');
  if (text === undefined) return null;
  if (!/^[0-9]+$/.test(text)) throw oauthFaults.invalid('max_age');
  return Number(text);
}

/** The query of a request whose user has just signed in: what is left to ask for. */
export function withoutSignIn(search: string): string {
  const parameters = parseQuery(search);
  const hasLogin = splitScopes(parameters.get('prompt') ?? '').includes('login');
  if (!parameters.has('max_age') && !hasLogin) return search;
  parameters.delete('max_age');
  if (hasLogin) parameters.set('prompt', 'consent');
  return `?${parameters}`;
}

/**
 * A client that sends no challenge proves itself by its secret when it exchanges the code; for a custom scheme that
 * is not enough. @see docs/spec/oauth2.md#pkce
 */
function validateChallenge(
  parameters: URLSearchParams,
  { redirectUri }: ReturnAddress,
  responseType: ResponseType,
): string | null {
  if (responseType === 'none') return null;
  // Any program can register a custom scheme and receive what is sent to it, and a token in a redirect needs no
  // further proof.
  if (responseType === 'token' && isCustomSchemeRedirect(redirectUri)) throw oauthFaults.tokenToScheme();
  const challenge = read(parameters, 'code_challenge');
  const method = read(parameters, 'code_challenge_method');
  if (challenge === undefined) {
    const isNeeded = responseType === 'code' && isCustomSchemeRedirect(redirectUri);
    if (isNeeded || method !== undefined) throw oauthFaults.missing('code_challenge');
    return null;
  }
  // Without a method it would be "plain" (RFC 7636, section 4.3).
  if (method !== codeChallengeMethod) throw oauthFaults.challengeMethod();
  if (!isCodeChallenge(challenge)) throw oauthFaults.invalid('code_challenge');
  return challenge;
}

function validateIntegrationType(parameters: URLSearchParams, application: ApplicationRecord): IntegrationType {
  const text = read(parameters, 'integration_type');
  const type =
    text === undefined
      ? defaultIntegrationType(application)
      : application.integration_types.find(supported => String(supported) === text);
  if (type === undefined) throw oauthFaults.invalid('integration_type');
  return type;
}

function validateGuildId(parameters: URLSearchParams): string | null {
  const guildId = read(parameters, 'guild_id') ?? null;
  if (guildId !== null && !isSnowflake(guildId)) throw oauthFaults.invalid('guild_id');
  return guildId;
}

/** Exactly `true` or `false`. @see docs/spec/oauth2.md#authorization-request */
function validateFlag(parameters: URLSearchParams, name: ParameterName): boolean {
  const text = read(parameters, name) ?? 'false';
  if (text !== 'true' && text !== 'false') throw oauthFaults.invalid(name);
  return text === 'true';
}

function validatePermissions(parameters: URLSearchParams): string {
  const text = read(parameters, 'permissions') ?? '0';
  if (!/^[0-9]{1,20}$/.test(text) || BigInt(text) > limits.permissionBitsMax) throw oauthFaults.invalid('permissions');
  return BigInt(text).toString();
}

// Each of these says how to install the application, so its own settings do not apply.
const overridingParameters = ['scope', 'integration_type', 'redirect_uri', 'response_type'] as const;

/**
 * Completes a request with the application's install settings, if it overrides none of them.
 * @see docs/spec/oauth2.md#installation
 */
function withInstallParams(
  parameters: URLSearchParams,
  { install_params }: Pick<ApplicationRecord, 'install_params'>,
): URLSearchParams {
  if (!install_params || overridingParameters.some(name => parameters.get(name))) return parameters;
  const completed = new URLSearchParams(parameters);
  completed.set('scope', install_params.scopes.join(' '));
  completed.set('permissions', install_params.permissions);
  return completed;
}
