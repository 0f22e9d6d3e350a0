import type { GuildMember } from '../../../model/guild.ts';
import type { User } from '../../../model/user.ts';
import type { StoreView } from '../../store/contract.ts';
import type { GuildMemberRecord } from '../../store/records.ts';
import { botUserView, userView } from '../accounts/user-view.ts';
import { memberView } from './view.ts';

/** The users who are members of guilds. */

/** The user with this id; bots are found by their applications. */
export async function findUser(view: StoreView, id: string): Promise<User | undefined> {
  const user = await view.get('users', id);
  if (user) return userView(user);
  const application = await view.get('applications', id);
  return application && botUserView(application);
}

/** The members as others see them; those whose user was deleted are left out. */
export async function viewMembers(view: StoreView, records: readonly GuildMemberRecord[]): Promise<GuildMember[]> {
  const members: GuildMember[] = [];
  for (const record of records) {
    const user = await findUser(view, record.user_id);
    if (user) members.push(memberView(record, user));
  }
  return members;
}

/** Members whose username or nickname begins with the text, in any case. */
export async function membersNamed(
  view: StoreView,
  members: readonly GuildMemberRecord[],
  query: string,
): Promise<GuildMemberRecord[]> {
  const beginning = query.toLowerCase();
  const found: GuildMemberRecord[] = [];
  for (const member of members) {
    const names = [(await findUser(view, member.user_id))?.username, member.nick];
    if (names.some(name => name?.toLowerCase().startsWith(beginning))) found.push(member);
  }
  return found;
}
