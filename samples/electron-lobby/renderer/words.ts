import type {
  ConnectionSnapshot,
  FriendsSnapshot,
  KeychainTier,
  LobbySnapshot,
  SocialUserSnapshot,
} from '@rallypoint/sdk';
import type { AppState } from './model.ts';

/** What the states of things are called. */

export const tierWords: Readonly<Record<KeychainTier, readonly [name: string, text: string]>> = {
  system: ['System keychain', 'Encrypted by your system, for your account alone. You stay signed in.'],
  'encrypted-file': [
    'Encrypted file',
    'A file in your profile; its key is not protected by the system. You stay signed in.',
  ],
  memory: ['This run only', 'Kept in memory and gone when the game ends.'],
};

export function keychainWords(tier: KeychainTier, backend: string | undefined): string {
  const [name, text] = tierWords[tier];
  return `${name}${backend === undefined || backend === tier ? '' : ` (${backend})`}. ${text}`;
}

/** A word for the pill, and how it is meant. */
export function connectionWords({
  status,
}: ConnectionSnapshot): readonly [text: string, tone: 'good' | 'warning' | 'bad'] {
  switch (status) {
    case 'ready':
      return ['Live', 'good'];
    case 'connecting':
    case 'connected':
      return ['Connecting', 'warning'];
    case 'reconnecting':
    case 'http_wait':
      return ['Reconnecting', 'warning'];
    case 'disconnecting':
      return ['Disconnecting', 'warning'];
    case 'disconnected':
      return ['Offline', 'bad'];
  }
}

/** What the player is called while the game server has not said. */
export function playerName({ signIn, player }: AppState): string {
  return signIn.status === 'signed-in' ? (player?.displayName ?? 'Player') : '';
}

export function onlineIn({ members }: LobbySnapshot): number {
  return members.filter(({ connected }) => connected).length;
}

export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

const statusWords: Readonly<Record<SocialUserSnapshot['status'], string>> = {
  online: 'Online',
  idle: 'Away',
  dnd: 'Does not want to be disturbed',
  offline: 'Offline',
};

/** What a friend does, or whether they are there. */
export function presenceWords({ status, activity }: SocialUserSnapshot): string {
  const { details, state, party } = activity ?? {};
  const [present, max] = party?.size ?? [];
  const where = [details, state].filter(one => one !== undefined).join(', ');
  if (where === '') return statusWords[status];
  return max === undefined ? where : `${where} (${present} of ${max})`;
}

/** Bit of an activity: it has a party with a free place. */
const joinable = 1 << 1;

export function canBeJoined({ activity }: SocialUserSnapshot): boolean {
  return ((activity?.flags ?? 0) & joinable) !== 0;
}

/** Why no friends can be shown; undefined when they can. */
export function unavailableWords({ unavailable }: FriendsSnapshot): string | undefined {
  switch (unavailable?.reason) {
    case 'not_connected':
      return 'Your friends are shown once the game is connected.';
    case 'missing_scope':
      return 'You did not allow the game to see your friends. Sign out and in again to change that.';
    case undefined:
      return undefined;
  }
}
