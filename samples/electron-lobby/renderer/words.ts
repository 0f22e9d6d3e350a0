import type { ConnectionSnapshot, KeychainTier, LobbySnapshot } from '@rallypoint/sdk';
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
