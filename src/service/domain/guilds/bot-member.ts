import type { StoreView } from '../../store/contract.ts';
import type { ApplicationRecord, GuildMemberRecord, GuildRecord } from '../../store/records.ts';
import { botUserId, impliedBotMember } from './view.ts';

/** An application's bot as a member of a guild: by its record, or because the application is in the guild. */
export async function botMember(
  view: StoreView,
  guild: GuildRecord,
  application: ApplicationRecord,
): Promise<GuildMemberRecord> {
  const member = await view.get('guild_members', guild.id, botUserId(application));
  return member ?? impliedBotMember(guild, application);
}
