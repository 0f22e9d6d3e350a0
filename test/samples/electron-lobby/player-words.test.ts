import { ApiError, GatewayError, RallypointError, RateLimitError, ValidationError } from '@rallypoint/sdk';
import { describe, expect, it } from 'vitest';
import { BackendRefusal } from '../../../samples/electron-lobby/main/game-backend.ts';
import { playerWords } from '../../../samples/electron-lobby/shared/player-words.ts';
import { problemOf } from '../../../samples/electron-lobby/shared/problem.ts';
import type { RefusalCode } from '../../../samples/game-backend/contract.ts';
import { errorCodes } from '../../../src/model/errors/error-codes.ts';
import { type ApiErrorName, apiErrors } from '../../../src/model/errors/errors.ts';

/** Codes that only a mistake in the game's code or settings leads to: a player can do nothing but report it. */
const mistakes = new Set([
  ...['closed', 'insecure_address', 'invalid_base_url', 'missing_base_url', 'missing_application_id'],
  ...[
    'invalid_account',
    'invalid_argument',
    'invalid_backend',
    'invalid_credential',
    'invalid_folder',
    'invalid_path',
    'invalid_secret',
    'invalid_service',
  ],
  ...['missing_service', 'invalid_tiers', 'invalid_deadline', 'invalid_expiry'],
  ...['invalid_game', 'invalid_handler_id', 'invalid_name', 'invalid_scheme', 'missing_scheme'],
  ...['missing_bundle_id', 'unsafe_address'],
  ...['invalid_limit', 'invalid_snowflake', 'unencodable_body', 'moved_arguments', 'missing_access_token'],
  ...['invalid_code_verifier', 'invalid_redirect_uri', 'missing_code', 'missing_refresh_token', 'missing_state'],
  ...['missing_token', 'invalid_voice_settings', 'not_in_call', 'too_many_calls', 'missing_secret', 'invalid_schema'],
  ...['invalid_call_arguments', 'unknown_call', 'missing_preload', 'untrusted_window'],
]);

/** Answers to calls that this game does not make, or not in this way. */
const ofOtherCalls = new Set<string>([
  ...['bad_request', 'foreign_origin', 'misdirected_request', 'headers_too_large', 'invalid_api_version'],
  ...['invalid_json', 'unknown_channel', 'unknown_guild', 'unknown_role', 'unknown_webhook', 'unknown_interaction'],
  ...['unknown_command', 'unknown_command_permissions', 'bots_not_allowed', 'only_bots_allowed'],
  ...[
    'not_your_application',
    'too_many_invites',
    'too_many_commands',
    'too_many_command_creates',
    'command_name_taken',
  ],
  ...['already_acknowledged', 'already_in_guild', 'too_many_follow_ups', 'invalid_webhook_token'],
  ...['invalid_user_type', 'channel_not_linkable', 'channel_already_linked', 'entry_point_missing'],
  ...['lobby_link_refused', 'lobby_not_linked', 'provisional_accounts_disabled', 'no_unique_username'],
  ...['wrong_client_secret', 'identity_provider_not_found', 'identity_keys_not_found', 'account_not_provisional'],
  ...['invalid_identity_keys', 'invalid_merge_source', 'invalid_merge_destination', 'merge_source_banned'],
  ...['too_many_identities', 'not_found', 'method_not_allowed'],
  ...Object.keys(apiErrors).filter(name => name.startsWith('identity_token_') || name === 'invalid_identity_token'),
]);

const clientCodes = Object.entries(errorCodes.client).flatMap(([kind, codes]) =>
  Object.keys(codes).map(code => [kind, code] as const),
);

/** What a developer reads and a player does not. */
const jargon = /[{}_]|\b(?:api|http|oauth|url|uri|route|token|scope|null|undefined|json|gateway|loopback)\b/i;

const forDevelopers = 'GET /lobbies/{lobby_id}: made for a developer';

describe('the words for a player', () => {
  it.each(clientCodes)('%s %s: says what happened without jargon', (kind, code) => {
    const { message, remedy = '' } = problemOf(new RallypointError(code, forDevelopers));
    expect(message).not.toBe(forDevelopers);
    // A fault of a field says by itself what is wrong.
    if (kind === 'ValidationError') return;
    expect(message.startsWith('The game made a mistake')).toBe(mistakes.has(code));
    if (mistakes.has(code)) expect(message).toContain(code);
    else expect(`${message} ${remedy}`).not.toMatch(jargon);
    expect(`${message} ${remedy}`).toMatch(/^[A-Z].*\.\s*$/);
  });

  it.each(Object.keys(apiErrors) as ApiErrorName[])('the answer %s of the service: likewise', name => {
    const { code: apiCode, status } = apiErrors[name];
    const error = new ApiError('made for a developer', { status, apiCode, route: 'GET /lobbies', issues: [] });
    const { code, message, remedy = '' } = problemOf(error);
    expect(code).toBe(name);
    if (name === 'invalid_form_body') return;
    expect(message).not.toContain('developer');
    expect(message.startsWith('The game made a mistake')).toBe(ofOtherCalls.has(name));
    if (!ofOtherCalls.has(name)) expect(`${message} ${remedy}`).not.toMatch(jargon);
  });

  it('the answer of a service that is out of order, whatever it is called', () => {
    const error = new ApiError('Bad Gateway', { status: 502, apiCode: 0, route: 'GET /lobbies', issues: [] });
    expect(problemOf(error)).toMatchObject({ code: 'api_error', message: playerWords('unavailable').message });
  });

  it.each(
    Object.keys({
      unauthorized: true,
      wrong_application: true,
      not_the_owner: true,
      invalid_command: true,
      body_too_large: true,
      try_later: true,
      service_unavailable: true,
      internal_error: true,
      invalid_body: false,
      not_found: false,
      method_not_allowed: false,
    } satisfies Record<RefusalCode, boolean>) as RefusalCode[],
  )('the refusal %s of the game server: says what happened without jargon', code => {
    const { message, remedy = '' } = problemOf(new BackendRefusal({ code }));
    expect(message).not.toBe(forDevelopers);
    if (!message.includes('made a mistake')) expect(`${message} ${remedy}`).not.toMatch(jargon);
  });

  it('say how long to wait, name the fault of a field, and tell an outage from a rejection', () => {
    expect(problemOf(new RateLimitError('lobbies', 2_300)).remedy).toBe('Try again in 3 s.');
    const issue = { path: ['content'], code: 'REQUIRED', message: 'This field is required' } as never;
    expect(problemOf(new ValidationError('The message', [issue])).message).toBe('This field is required');
    expect(problemOf(new GatewayError(4009, 'x', true)).message).toBe('The service ended the connection.');
    expect(problemOf(new GatewayError(4004, 'x', false)).message).toBe('The service does not let you connect.');
  });

  it('of an error that is not ours: something went wrong', () => {
    expect(problemOf(new TypeError('x is not a function'))).toMatchObject({ message: 'Something went wrong.' });
  });
});
