import { isSnowflake } from '../../../model/snowflake.ts';

/** Where a user of the stage is. */
export type Place =
  | { readonly kind: 'channel'; readonly guildId: string; readonly channelId: string }
  /** In the direct messages with the bot of an application. */
  | { readonly kind: 'direct'; readonly applicationId: string }
  /** In a lobby, in the game. */
  | { readonly kind: 'lobby'; readonly applicationId: string; readonly lobbyId: string };

const forms = {
  channel: ([guildId = '', channelId = '']: readonly string[]): Place => ({ kind: 'channel', guildId, channelId }),
  direct: ([applicationId = '']: readonly string[]): Place => ({ kind: 'direct', applicationId }),
  lobby: ([applicationId = '', lobbyId = '']: readonly string[]): Place => ({ kind: 'lobby', applicationId, lobbyId }),
} as const;

/** As addresses have it: `channel-5-7`. */
export function placeText(place: Place): string {
  if (place.kind === 'channel') return `channel-${place.guildId}-${place.channelId}`;
  if (place.kind === 'direct') return `direct-${place.applicationId}`;
  return `lobby-${place.applicationId}-${place.lobbyId}`;
}

/** Undefined for anything that is no place. */
export function readPlace(text: string | undefined): Place | undefined {
  const [kind = '', ...ids] = text?.split('-') ?? [];
  if (!Object.hasOwn(forms, kind) || !ids.every(isSnowflake)) return undefined;
  if (ids.length !== (kind === 'direct' ? 1 : 2)) return undefined;
  return forms[kind as keyof typeof forms](ids);
}

/** The channel that a user's client names: direct messages have none of their own, so the user's id stands for them. */
export function channelOf(place: Place, userId: string): { readonly channel_id: string; readonly guild_id?: string } {
  if (place.kind === 'channel') return { channel_id: place.channelId, guild_id: place.guildId };
  return { channel_id: place.kind === 'direct' ? userId : place.lobbyId };
}
