import type { LobbyMemberDetails } from '../../../wire/control/lobbies.ts';

/** What a member is called; its id where the account is no more. */
export function memberName({
  id,
  username,
  global_name,
}: Pick<LobbyMemberDetails, 'id' | 'username' | 'global_name'>): string {
  return global_name ?? username ?? id;
}
