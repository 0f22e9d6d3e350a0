import { TransportError } from '../model/errors/errors.ts';
import {
  type ApplicationId,
  type ChannelId,
  type GuildId,
  isSnowflake,
  type LobbyId,
  parseSnowflake,
} from '../model/snowflake.ts';
import { asRecord } from '../wire/http/codec.ts';
import type { OperationOptions } from './call-options.ts';
import type { Calls } from './calls.ts';

/** A guild the player is in. Frozen. @see docs/spec/client.md#snapshots */
export interface GuildMinimal {
  readonly id: GuildId;
  readonly name: string;
}

/** A channel of a guild, as the player may see it. Frozen. @see docs/spec/client.md#snapshots */
export interface GuildChannel {
  readonly id: ChannelId;
  readonly name: string;
  /** 0 text, 2 voice, 4 category and so on. */
  readonly type: number;
  readonly position: number;
  readonly parentId: ChannelId | undefined;
  /** Whether the player could link it to a lobby. */
  readonly isLinkable: boolean;
  /** Whether all members of the lobby can already read and write it. */
  readonly isViewableAndWriteableByAllMembers: boolean;
  /** The lobby it is linked to, perhaps another application's. */
  readonly linkedLobby: { readonly applicationId: ApplicationId; readonly lobbyId: LobbyId } | undefined;
}

/** Requests for choosing a channel for a lobby. @see docs/spec/lobbies.md#choosing-a-channel */
export class GuildOperations {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  async list(options: OperationOptions): Promise<readonly GuildMinimal[]> {
    const operation = { name: 'getUserGuilds', route: 'listOwnGuilds', request: { path: {} } } as const;
    return readList('guilds', (await this.#calls.send(operation, options)).body, readGuild);
  }

  /** By position. */
  async channels(guildId: GuildId, options: OperationOptions): Promise<readonly GuildChannel[]> {
    const path = { guild_id: parseSnowflake<'guild'>(guildId, 'guildId') };
    const request = { path, query: { with_can_link_lobby: 'true' } };
    const operation = { name: 'getGuildChannels', route: 'listGuildChannels', request } as const;
    const channels = readList('channels', (await this.#calls.send(operation, options)).body, readChannel);
    return Object.freeze(channels.toSorted((a, b) => a.position - b.position));
  }
}

function readList<Item>(what: string, body: unknown, read: (item: unknown) => Item | undefined): readonly Item[] {
  const items = Array.isArray(body) ? body.map(read) : [undefined];
  const known = items.filter(item => item !== undefined);
  if (known.length === items.length) return Object.freeze(known);
  throw new TransportError('unreadable_answer', `The service sent a response that is not a list of ${what}.`);
}

function readGuild(value: unknown): GuildMinimal | undefined {
  const { id, name } = asRecord(value) ?? {};
  return isSnowflake<'guild'>(id) && typeof name === 'string' ? Object.freeze({ id, name }) : undefined;
}

function readChannel(value: unknown): GuildChannel | undefined {
  const channel = asRecord(value) ?? {};
  const { id, name, type, position, parent_id } = channel;
  if (!isSnowflake<'channel'>(id) || typeof name !== 'string' || typeof type !== 'number') return undefined;
  return Object.freeze({
    id,
    name,
    type,
    position: typeof position === 'number' ? position : 0,
    parentId: isSnowflake<'channel'>(parent_id) ? parent_id : undefined,
    isLinkable: channel.is_linkable === true,
    isViewableAndWriteableByAllMembers: channel.is_viewable_and_writeable_by_all_members === true,
    linkedLobby: readLinkedLobby(channel.linked_lobby),
  });
}

function readLinkedLobby(value: unknown): GuildChannel['linkedLobby'] {
  const { application_id, lobby_id } = asRecord(value) ?? {};
  if (!isSnowflake<'application'>(application_id) || !isSnowflake<'lobby'>(lobby_id)) return undefined;
  return Object.freeze({ applicationId: application_id, lobbyId: lobby_id });
}
