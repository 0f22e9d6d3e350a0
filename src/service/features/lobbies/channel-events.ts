import type { Channel } from '../../../model/guild.ts';
import type { ChannelMessage } from '../../../model/message.ts';
import { lazyEvent, topics } from '../../events/announcement.ts';
import type { Transaction } from '../../store/contract.ts';
import type { LobbyRecord } from '../../store/records.ts';
import { showLinkedLobby } from '../guilds/view.ts';

/** The events that a lobby causes in the guild of its linked channel. @see docs/spec/lobbies.md#events */

/** Notifies the bots in the guild: the channel was linked to the lobby or, without one, is no longer linked. */
export function announceChannel(transaction: Transaction, channel: Channel, lobby?: LobbyRecord): void {
  const linked_lobby = lobby && showLinkedLobby(lobby);
  const event = lazyEvent('CHANNEL_UPDATE', () => ({ ...channel, ...(linked_lobby && { linked_lobby }) }));
  transaction.announce({ to: topics.guild(channel.guild_id), event, guild: channel.guild_id });
}

/** Notifies the bots in the guild, and the own clients of everybody who sees the channel. */
export function announceInChannel(transaction: Transaction, message: ChannelMessage): void {
  const event = lazyEvent('MESSAGE_CREATE', () => message);
  transaction.announce({ to: topics.guild(message.guild_id), event, guild: message.guild_id });
  transaction.announce({ to: topics.channel(message.channel_id), event });
}
