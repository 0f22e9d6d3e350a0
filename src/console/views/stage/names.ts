import type { ApplicationDetails, GuildDetails, GuildMemberDetails } from '../../../wire/control/world.ts';

/** The people, roles and channels around a user: what ids in messages and options are called. */
export interface Names {
  readonly members: readonly GuildMemberDetails[];
  readonly guild: GuildDetails | undefined;
  readonly applications: readonly ApplicationDetails[];
}

export function memberName({ user_id, nick, global_name, username }: GuildMemberDetails): string {
  return nick ?? global_name ?? username ?? user_id;
}

export function userNameIn({ members }: Names, id: string): string {
  const member = members.find(({ user_id }) => user_id === id);
  return member ? memberName(member) : id;
}

export function roleNameIn({ guild }: Names, id: string): string {
  return guild?.roles.find(role => role.id === id)?.name ?? id;
}

export function channelNameIn({ guild }: Names, id: string): string {
  return guild?.channels.find(channel => channel.id === id)?.name ?? id;
}

export function applicationNameIn({ applications }: Names, id: string): string {
  return applications.find(application => application.id === id)?.name ?? id;
}
