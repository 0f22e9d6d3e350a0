import { ArgumentError, TransportError } from '../../model/errors/errors.ts';
import type { LobbyJoinInput, LobbyLinkInput, Metadata } from '../../model/lobby.ts';
import type { LobbyMessageInput } from '../../model/lobby-message.ts';
import { checkLobbyJoin } from '../../model/rules/lobbies/lobby-join.ts';
import { checkLobbyMessage, isSilent } from '../../model/rules/lobbies/lobby-message.ts';
import { type ChannelId, isSnowflake, type LobbyId, parseSnowflake } from '../../model/snowflake.ts';
import { parseOptions } from '../../wire/arguments.ts';
import { rejectIssues } from '../../wire/http/check.ts';
import { asRecord } from '../../wire/http/codec.ts';
import type { OperationOptions } from '../call-options.ts';
import type { Calls } from '../calls.ts';
import { LiveList } from './live-list.ts';
import { readMessage } from './message-reader.ts';
import type { HistoryOptions } from './message-thread.ts';
import type { LobbyMessageSnapshot, LobbyMessages } from './snapshot.ts';

export interface JoinOptions extends OperationOptions {
  /** Replaces the lobby's metadata. Absent: it stays. */
  readonly lobbyMetadata?: Metadata | undefined;
  /** Replaces the player's own member metadata. Absent: it stays. */
  readonly memberMetadata?: Metadata | undefined;
  /** The lobby ends after this many seconds without a connected member; 5 to 604800. Absent: the service's default. */
  readonly idleTimeoutSeconds?: number | undefined;
}

export interface SendOptions extends OperationOptions {
  /** Delivered with the text to members who are connected, and not stored. At most 25 entries. */
  readonly metadata?: Metadata | undefined;
  /** SUPPRESS_EMBEDS and SUPPRESS_NOTIFICATIONS of {@link messageFlags}. Default: none. */
  readonly flags?: number | undefined;
}

/** An invite to the guild of a lobby's linked channel: for this player, usable once, valid for an hour. */
export interface LobbyInviteSnapshot {
  readonly code: string;
  /** The page on which the player accepts it. */
  readonly url: string;
}

/** The calls of a player to lobbies. @see docs/spec/lobbies.md#operations; docs/spec/client.md#functions */
export class LobbyOperations {
  readonly #calls: Calls;
  readonly #baseUrl: string;

  constructor(calls: Calls, baseUrl: string) {
    this.#calls = calls;
    this.#baseUrl = baseUrl;
  }

  async createOrJoin(body: LobbyJoinInput, options: OperationOptions): Promise<LobbyId> {
    const operation = { name: 'join', route: 'joinLobby', request: { path: {}, body } } as const;
    return readId('a lobby', (await this.#calls.send(operation, options)).body);
  }

  async leave(id: LobbyId, options: OperationOptions): Promise<void> {
    await this.#calls.send({ name: 'leave', route: 'leaveLobby', request: { path: pathOf(id) } }, options);
  }

  async send(id: LobbyId, content: string, options: SendOptions): Promise<LobbyMessageSnapshot> {
    const path = pathOf(id);
    const body = checkMessage(content, options);
    const operation = {
      name: 'send',
      route: 'createLobbyMessage',
      request: { path, body },
      order: path.lobby_id,
    } as const;
    const message = readMessage((await this.#calls.send(operation, options)).body);
    if (!message) throw unreadable('a message');
    return message;
  }

  async link(id: LobbyId, channelId: ChannelId, options: OperationOptions): Promise<void> {
    const channel_id = parseSnowflake<'channel'>(channelId, 'channelId');
    return this.#link('linkChannel', id, { channel_id }, options);
  }

  async unlink(id: LobbyId, options: OperationOptions): Promise<void> {
    return this.#link('unlinkChannel', id, {}, options);
  }

  async invite(id: LobbyId, options: OperationOptions): Promise<LobbyInviteSnapshot> {
    const operation = {
      name: 'createInvite',
      route: 'createOwnLobbyInvite',
      request: { path: pathOf(id) },
    } as const;
    const code = asRecord((await this.#calls.send(operation, options)).body)?.code;
    if (typeof code !== 'string' || !/^[\w-]+$/.test(code)) throw unreadable('an invite');
    return Object.freeze({ code, url: `${this.#baseUrl}/invite/${code}` });
  }

  /**
   * The newest messages, oldest first.
   *
   * @param name what the game calls the operation
   */
  async history(name: string, id: LobbyId, options: HistoryOptions): Promise<LobbyMessages> {
    const request = { path: pathOf(id), query: { limit: String(options.limit) } };
    const { body } = await this.#calls.send({ name, route: 'listLobbyMessages', request }, options);
    const messages = Array.isArray(body) ? body.map(readMessage) : [undefined];
    const read = messages.filter(message => message !== undefined);
    if (read.length < messages.length) throw unreadable('a list of messages');
    return new LiveList(read).shown;
  }

  async #link(name: string, id: LobbyId, body: LobbyLinkInput, options: OperationOptions): Promise<void> {
    await this.#calls.send({ name, route: 'linkLobbyChannel', request: { path: pathOf(id), body } }, options);
  }
}

/**
 * The body of a join.
 *
 * @throws ValidationError
 */
export function checkJoin(secret: string, options: JoinOptions): LobbyJoinInput {
  const body: LobbyJoinInput = {
    secret,
    ...(options.lobbyMetadata !== undefined && { lobby_metadata: options.lobbyMetadata }),
    ...(options.memberMetadata !== undefined && { member_metadata: options.memberMetadata }),
    ...(options.idleTimeoutSeconds !== undefined && { idle_timeout_seconds: options.idleTimeoutSeconds }),
  };
  rejectIssues('The lobby', checkLobbyJoin(body));
  return body;
}

/**
 * The body of a message, to a lobby or to a user.
 *
 * @throws ValidationError; ArgumentError `empty_message`
 */
export function checkMessage(content: string, options: SendOptions): LobbyMessageInput {
  parseOptions(options);
  const body: LobbyMessageInput = {
    content,
    ...(options.metadata !== undefined && { metadata: options.metadata }),
    ...(options.flags !== undefined && { flags: options.flags }),
  };
  rejectIssues('The message', checkLobbyMessage(body));
  if (isSilent(body)) throw new ArgumentError('empty_message', 'content must contain more than white space.');
  return body;
}

function pathOf(id: LobbyId) {
  return { lobby_id: parseSnowflake<'lobby'>(id, 'lobbyId') };
}

function readId(what: string, value: unknown): LobbyId {
  const id = asRecord(value)?.id;
  if (!isSnowflake<'lobby'>(id)) throw unreadable(what);
  return id;
}

export function unreadable(what: string): TransportError {
  return new TransportError('unreadable_answer', `The service sent a response that is not ${what}.`);
}
