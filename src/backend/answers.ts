import type { StoredApplicationProfile } from '../model/application-profile.ts';
import type { Command } from '../model/command.ts';
import { TransportError } from '../model/errors/errors.ts';
import type { Lobby, LobbyInvite, LobbyMember } from '../model/lobby.ts';
import type { Message } from '../model/message.ts';
import type { TokenResponse } from '../model/oauth.ts';
import type { GuildCommandPermissions } from '../model/overwrite.ts';
import type { ProvisionalTokenResponse } from '../model/provisional.ts';
import { isAbsent } from '../model/rules/field.ts';
import { type ApplicationId, isSnowflake } from '../model/snowflake.ts';
import type { User } from '../model/user.ts';
import { asRecord } from '../wire/http/codec.ts';
import { isVerifyKey } from '../wire/signature.ts';

/**
 * Parsers of successful responses. Each checks the fields that this package needs and keeps the rest as received, so that
 * fields and values newer than this package survive.
 */

/** @throws TransportError `unreadable_answer` */
export function readLobby(value: unknown): Lobby {
  const lobby = readResource('a lobby', value);
  if (!Array.isArray(lobby.members) || !isMetadata(lobby.metadata)) throw unreadable('a lobby');
  lobby.members.forEach(readLobbyMember);
  return lobby as unknown as Lobby;
}

/** @throws TransportError `unreadable_answer` */
export function readLobbyMember(value: unknown): LobbyMember {
  const member = readResource('a lobby member', value);
  if (!isMetadata(member.metadata)) throw unreadable('a lobby member');
  return member as unknown as LobbyMember;
}

function isMetadata(value: unknown): boolean {
  return isAbsent(value) || asRecord(value) !== undefined;
}

/** @throws TransportError `unreadable_answer` */
export function readLobbyMembers(value: unknown): LobbyMember[] {
  if (!Array.isArray(value)) throw unreadable('a list of lobby members');
  return value.map(readLobbyMember);
}

/** @throws TransportError `unreadable_answer` */
export function readLobbyInvite(value: unknown): LobbyInvite {
  const { code } = asRecord(value) ?? {};
  if (typeof code !== 'string') throw unreadable('an invite');
  return value as LobbyInvite;
}

/** @throws TransportError `unreadable_answer` */
export function readToken(value: unknown): TokenResponse {
  const { access_token: token, expires_in: seconds } = asRecord(value) ?? {};
  if (typeof token !== 'string' || typeof seconds !== 'number') throw unreadable('a token');
  return value as TokenResponse;
}

/** @throws TransportError `unreadable_answer` */
export function readProvisionalToken(value: unknown): ProvisionalTokenResponse {
  return readToken(value) as ProvisionalTokenResponse;
}

/** @throws TransportError `unreadable_answer` */
export function readCommand(value: unknown): Command {
  const command = readResource('a command', value);
  const { name, type, options, contexts, integration_types, default_member_permissions: bits } = command;
  const isSound =
    typeof name === 'string' &&
    typeof type === 'number' &&
    areOptions(options) &&
    isListOf('number', contexts) &&
    isListOf('number', integration_types) &&
    (isAbsent(bits) || (typeof bits === 'string' && permissionBits.test(bits)));
  if (!isSound) throw unreadable('a command');
  return command as unknown as Command;
}

// A command has three levels. Comparison and localization descend as far as there are options, so a hostile answer must not nest deeper
// than the stack holds.
const optionLevelsMax = 64;

/** Whether these are options of a command or of its use, on every level. */
export function areOptions(value: unknown, levelsLeft = optionLevelsMax): boolean {
  if (isAbsent(value)) return true;
  if (!Array.isArray(value) || levelsLeft === 0) return false;
  return value.every(one => {
    const option = asRecord(one);
    return (
      option &&
      isListOf('number', option.channel_types) &&
      isListOf('string', option.file_types) &&
      isListOf('object', option.choices) &&
      areOptions(option.options, levelsLeft - 1)
    );
  });
}

// Far more bits than there are permissions.
const permissionBits = /^\d{1,100}$/;

function isListOf(type: 'number' | 'string' | 'object', value: unknown): boolean {
  if (isAbsent(value)) return true;
  return Array.isArray(value) && value.every(item => (type === 'object' ? asRecord(item) : typeof item === type));
}

/** @throws TransportError `unreadable_answer` */
export function readCommands(value: unknown): Command[] {
  if (!Array.isArray(value)) throw unreadable('a list of commands');
  return value.map(readCommand);
}

/** @throws TransportError `unreadable_answer` */
export function readMessage(value: unknown): Message {
  return readResource('a message', value) as unknown as Message;
}

/** @throws TransportError `unreadable_answer` */
export function readVerifyKey(value: unknown): string {
  const { verify_key: key } = asRecord(value) ?? {};
  if (typeof key !== 'string' || !isVerifyKey(key)) throw unreadable('an application');
  return key;
}

/** @throws TransportError `unreadable_answer` */
export function readCommandPermissions(value: unknown): GuildCommandPermissions {
  const entry = readResource('the permissions of a command', value);
  if (!Array.isArray(entry.permissions)) throw unreadable('the permissions of a command');
  return entry as unknown as GuildCommandPermissions;
}

/** @throws TransportError `unreadable_answer` */
export function readCommandPermissionsList(value: unknown): GuildCommandPermissions[] {
  if (!Array.isArray(value)) throw unreadable('a list of command permissions');
  return value.map(readCommandPermissions);
}

/** Whose access token it is. */
export interface Authorization {
  readonly application: { readonly id: ApplicationId };
  readonly scopes: readonly string[];
  /** ISO 8601. */
  readonly expires: string;
  readonly user?: Pick<User, 'id' | 'username' | 'global_name'> | null;
}

/** @throws TransportError `unreadable_answer` */
export function readAuthorization(value: unknown): Authorization {
  const { application, scopes, expires, user } = asRecord(value) ?? {};
  const { id, username, global_name: name } = asRecord(user) ?? {};
  const isSound =
    isSnowflake(asRecord(application)?.id) &&
    Array.isArray(scopes) &&
    isListOf('string', scopes) &&
    typeof expires === 'string' &&
    !Number.isNaN(Date.parse(expires)) &&
    (isAbsent(user) ||
      (isSnowflake(id) && typeof username === 'string' && (isAbsent(name) || typeof name === 'string')));
  if (!isSound) throw unreadable('an authorization');
  return value as Authorization;
}

/** @throws TransportError `unreadable_answer` */
export function readProfile(value: unknown): StoredApplicationProfile {
  const { user_id } = asRecord(value) ?? {};
  if (!isSnowflake(user_id)) throw unreadable('a profile');
  return value as StoredApplicationProfile;
}

function readResource(what: string, value: unknown): Readonly<Record<string, unknown>> {
  const resource = asRecord(value);
  if (!resource || !isSnowflake(resource.id)) throw unreadable(what);
  return resource;
}

function unreadable(what: string): TransportError {
  return new TransportError('unreadable_answer', `The service's response is not ${what}. Check baseUrl.`);
}
