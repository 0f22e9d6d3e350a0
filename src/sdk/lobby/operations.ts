import { ArgumentError, TransportError } from '../../model/errors/errors.ts';
import { limits } from '../../model/limits/limits.ts';
import type { LobbyJoinInput, LobbyLinkInput, Metadata } from '../../model/lobby.ts';
import type { LobbyMessageInput } from '../../model/lobby-message.ts';
import { checkLobbyJoin } from '../../model/rules/lobbies/lobby-join.ts';
import { checkLobbyMessage, isSilent } from '../../model/rules/lobbies/lobby-message.ts';
import { type ChannelId, isSnowflake, type LobbyId, parseSnowflake } from '../../model/snowflake.ts';
import { rejectIssues } from '../../wire/http/check.ts';
import { asRecord } from '../../wire/http/codec.ts';
import { deadlineMsDefault } from '../../wire/http/http.ts';
import type { OperationOptions } from '../call-options.ts';
import type { Calls } from '../calls.ts';
import { LiveList } from './live-list.ts';
import { readMessage } from './message-reader.ts';
import type { LobbyMessageSnapshot, LobbyMessages } from './snapshot.ts';

export interface JoinOptions extends OperationOptions {
  /** Replaces the lobby's metadata. Absent: it stays. */
  readonly lobbyMetadata?: Metadata | undefined;
  /** Replaces the player's own member metadata. Absent: it stays. */
  readonly memberMetadata?: Metadata | undefined;
  /** After how many seconds without anybody connected the lobby ends; 5 to 604800. Absent: the service's choice. */
  readonly idleTimeoutSeconds?: number | undefined;
}

export interface SendOptions extends OperationOptions {
  /** Said beside the text to whoever is connected, and kept nowhere. At most 25 entries. */
  readonly metadata?: Metadata | undefined;
  /** SUPPRESS_EMBEDS and SUPPRESS_NOTIFICATIONS of {@link messageFlags}. Default: none. */
  readonly flags?: number | undefined;
}

export interface HistoryOptions extends OperationOptions {
  /** How many at most, 1 to 200. Default: 50. */
  readonly limit?: number | undefined;
}

/** An invite to the guild of a lobby's linked channel: for the player alone, once, for an hour. */
export interface LobbyInviteSnapshot {
  readonly code: string;
  /** The page that accepts it. */
  readonly url: string;
}

/** What a player does with lobbies, one call each. @see docs/spec/lobbies.md#operations; docs/spec/client.md#functions */
export class LobbyOperations {
  readonly #calls: Calls;
  readonly #baseUrl: string;

  constructor(calls: Calls, baseUrl: string) {
    this.#calls = calls;
    this.#baseUrl = baseUrl;
  }

  async createOrJoin(secret: string, options: JoinOptions): Promise<LobbyId> {
    const body: LobbyJoinInput = {
      secret,
      ...(options.lobbyMetadata !== undefined && { lobby_metadata: options.lobbyMetadata }),
      ...(options.memberMetadata !== undefined && { member_metadata: options.memberMetadata }),
      ...(options.idleTimeoutSeconds !== undefined && { idle_timeout_seconds: options.idleTimeoutSeconds }),
    };
    rejectIssues('The lobby', checkLobbyJoin(body));
    const operation = { name: 'createOrJoinLobby', route: 'joinLobby', request: { path: {}, body } } as const;
    return readId('a lobby', (await this.#calls.send(operation, options)).body);
  }

  async leave(id: LobbyId, options: OperationOptions): Promise<void> {
    await this.#calls.send({ name: 'leaveLobby', route: 'leaveLobby', request: { path: pathOf(id) } }, options);
  }

  async send(id: LobbyId, content: string, options: SendOptions): Promise<LobbyMessageSnapshot> {
    const path = pathOf(id);
    const body: LobbyMessageInput = {
      content,
      ...(options.metadata !== undefined && { metadata: options.metadata }),
      ...(options.flags !== undefined && { flags: options.flags }),
    };
    rejectIssues('The message', checkLobbyMessage(body));
    if (isSilent(body)) throw new ArgumentError('empty_message', 'A message needs content.');
    const operation = {
      name: 'sendLobbyMessage',
      route: 'createLobbyMessage',
      request: { path, body },
      order: path.lobby_id,
    } as const;
    const message = readMessage((await this.#calls.send(operation, options)).body);
    if (!message) throw unreadable('a message');
    return message;
  }

  async history(id: LobbyId, options: HistoryOptions): Promise<LobbyMessages> {
    return this.#history('getLobbyMessages', id, options);
  }

  /** What the client asks for by itself, to fill a gap; in a time of its own, however little the game's calls may take. */
  async missed(id: LobbyId, limit: number, signal: AbortSignal): Promise<LobbyMessages> {
    return this.#history('resync', id, { limit, signal, whenOffline: 'fail', deadlineMs: deadlineMsDefault });
  }

  async link(id: LobbyId, channelId: ChannelId, options: OperationOptions): Promise<void> {
    const channel_id = parseSnowflake<'channel'>(channelId, 'channelId');
    return this.#link('linkChannelToLobby', id, { channel_id }, options);
  }

  async unlink(id: LobbyId, options: OperationOptions): Promise<void> {
    return this.#link('unlinkChannelFromLobby', id, {}, options);
  }

  async invite(id: LobbyId, options: OperationOptions): Promise<LobbyInviteSnapshot> {
    const operation = {
      name: 'createLobbyInvite',
      route: 'createOwnLobbyInvite',
      request: { path: pathOf(id) },
    } as const;
    const code = asRecord((await this.#calls.send(operation, options)).body)?.code;
    if (typeof code !== 'string' || !/^[\w-]+$/.test(code)) throw unreadable('an invite');
    return Object.freeze({ code, url: `${this.#baseUrl}/invite/${code}` });
  }

  async #history(name: string, id: LobbyId, options: HistoryOptions): Promise<LobbyMessages> {
    const { limit = limits.lobbyHistoryMessagesDefault } = options;
    const max = limits.lobbyHistoryMessagesMax;
    if (!(Number.isInteger(limit) && limit >= 1 && limit <= max)) {
      throw new ArgumentError('invalid_limit', `limit must be a whole number from 1 to ${max}.`);
    }
    const request = { path: pathOf(id), query: { limit: String(limit) } };
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

function pathOf(id: LobbyId) {
  return { lobby_id: parseSnowflake<'lobby'>(id, 'lobbyId') };
}

function readId(what: string, value: unknown): LobbyId {
  const id = asRecord(value)?.id;
  if (!isSnowflake<'lobby'>(id)) throw unreadable(what);
  return id;
}

function unreadable(what: string): TransportError {
  return new TransportError('unreadable_answer', `The service answered something that is not ${what}.`);
}
