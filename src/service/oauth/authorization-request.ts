import type { IntegrationType } from '../../model/command.ts';
import { splitScopes } from '../../model/oauth.ts';
import { isSnowflake } from '../../model/snowflake.ts';
import { codeChallengeMethod, isCodeChallenge } from '../../wire/pkce.ts';
import { Fault } from '../fault.ts';
import type { ApplicationRecord } from '../store/records.ts';
import { oauthFaults } from './oauth-fault.ts';
import { isCustomSchemeRedirect, isRegisteredRedirect } from './redirect-uri.ts';
import { mayRequest } from './scope-rules.ts';

/** Parameters of `/oauth2/authorize` that the service reads; others are passed over. @see oauth2.md 2 */
const authorizeParameters = [
  'client_id',
  'code_challenge',
  'code_challenge_method',
  'guild_id',
  'integration_type',
  'nonce',
  'prompt',
  'redirect_uri',
  'response_type',
  'scope',
  'state',
] as const;

type ParameterName = (typeof authorizeParameters)[number];

/** Where the answer to an authorization request goes. */
export interface ReturnAddress {
  readonly application: ApplicationRecord;
  readonly redirectUri: string;
  /** Given back unchanged. */
  readonly state: string | null;
}

/** An authorization request that may be shown to its user. */
export interface AuthorizationRequest extends ReturnAddress {
  /** As asked for: known, at least one, none twice, umbrellas not expanded. */
  readonly scopes: readonly string[];
  readonly prompt: 'consent' | 'none';
  readonly nonce: string | null;
  /** S256. */
  readonly codeChallenge: string | null;
  readonly integrationType: IntegrationType;
  /** The guild to choose beforehand. */
  readonly guildId: string | null;
}

/** A request whose answer must not be sent anywhere: the person is told on a page instead. */
export class AuthorizationPageFault extends Fault {
  /** What the application's developer can do. */
  readonly advice: string;

  constructor(message: string, advice: string) {
    super('invalid_form_body', { message });
    this.advice = advice;
  }
}

const pageFaults = {
  client: () =>
    new AuthorizationPageFault(
      'Invalid OAuth2 client_id',
      'No application has the id that the game gave as client_id.',
    ),
  redirect: () =>
    new AuthorizationPageFault(
      'Invalid OAuth2 redirect_uri',
      'The game must be sent back to an address that its developer registered, and give it exactly as registered.',
    ),
} as const;

/**
 * Reads where an answer may go. Nothing is redirected before this has succeeded.
 *
 * @param application the one that `client_id` names
 * @throws AuthorizationPageFault the application is unknown, or the redirect not one of its registered ones
 */
export function readReturnAddress(
  parameters: URLSearchParams,
  application: ApplicationRecord | undefined,
): ReturnAddress {
  if (!application || isRepeated(parameters, 'client_id')) throw pageFaults.client();
  const redirectUri = read(parameters, 'redirect_uri') ?? application.redirect_uris[0];
  if (
    redirectUri === undefined ||
    isRepeated(parameters, 'redirect_uri') ||
    !isRegisteredRedirect(redirectUri, application.redirect_uris)
  ) {
    throw pageFaults.redirect();
  }
  const state = isRepeated(parameters, 'state') ? null : (read(parameters, 'state') ?? null);
  return { application, redirectUri, state };
}

/**
 * Judges the rest of a request.
 *
 * @throws OAuthFault `invalid_request`, `invalid_scope`, `unsupported_response_type`: to be told by redirect
 */
export function judgeRequest(parameters: URLSearchParams, address: ReturnAddress): AuthorizationRequest {
  const { application } = address;
  checkRepeats(parameters);
  checkResponseType(parameters);
  return {
    ...address,
    scopes: judgeScopes(parameters, application),
    prompt: judgePrompt(parameters),
    nonce: read(parameters, 'nonce') ?? null,
    codeChallenge: judgeChallenge(parameters, address),
    integrationType: judgeIntegrationType(parameters, application),
    guildId: judgeGuildId(parameters),
  };
}

/** A parameter's value; one without a value counts as left out (RFC 6749, 3.1). */
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

function checkResponseType(parameters: URLSearchParams): void {
  const responseType = read(parameters, 'response_type');
  if (responseType === undefined) throw oauthFaults.missing('response_type');
  if (responseType !== 'code') throw oauthFaults.responseType();
}

function judgeScopes(parameters: URLSearchParams, application: ApplicationRecord): readonly string[] {
  const scopes = splitScopes(read(parameters, 'scope') ?? '');
  if (scopes.length === 0 || !scopes.every(scope => mayRequest(scope, application))) throw oauthFaults.scope();
  return scopes;
}

function judgePrompt(parameters: URLSearchParams): AuthorizationRequest['prompt'] {
  const prompt = read(parameters, 'prompt') ?? 'consent';
  if (prompt !== 'consent' && prompt !== 'none') throw oauthFaults.invalid('prompt');
  return prompt;
}

function judgeChallenge(parameters: URLSearchParams, { application, redirectUri }: ReturnAddress): string | null {
  const challenge = read(parameters, 'code_challenge');
  const method = read(parameters, 'code_challenge_method');
  if (challenge === undefined) {
    const required = application.public_client || isCustomSchemeRedirect(redirectUri) || method !== undefined;
    if (required) throw oauthFaults.missing('code_challenge');
    return null;
  }
  // Left out it would mean "plain" (RFC 7636, 4.3).
  if (method !== codeChallengeMethod) throw oauthFaults.challengeMethod();
  if (!isCodeChallenge(challenge)) throw oauthFaults.invalid('code_challenge');
  return challenge;
}

/** Left out it means guilds or, our choice, users where the application is not installed in guilds. */
function judgeIntegrationType(parameters: URLSearchParams, { integration_types }: ApplicationRecord): IntegrationType {
  const text = read(parameters, 'integration_type');
  const type =
    text === undefined
      ? [...integration_types].sort()[0]
      : integration_types.find(supported => String(supported) === text);
  if (type === undefined) throw oauthFaults.invalid('integration_type');
  return type;
}

function judgeGuildId(parameters: URLSearchParams): string | null {
  const guildId = read(parameters, 'guild_id') ?? null;
  if (guildId !== null && !isSnowflake(guildId)) throw oauthFaults.invalid('guild_id');
  return guildId;
}
