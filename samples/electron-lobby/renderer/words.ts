import type { AppState, ConnectionView, CredentialView } from '../shared/state.ts';

/** What the states of things are called. */

export const tierWords: Readonly<Record<CredentialView['tier'], readonly [name: string, text: string]>> = {
  system: ['System keychain', 'Encrypted by your system, for your account alone. You stay signed in.'],
  'encrypted-file': [
    'Encrypted file',
    'A file in your profile; its key is not protected by the system. You stay signed in.',
  ],
  memory: ['This run only', 'Kept in memory and gone when the game ends.'],
  unknown: ['Not known yet', 'Nothing is kept.'],
};

export function keychainWords(tier: CredentialView['tier'], backend: string | undefined): string {
  const [name, text] = tierWords[tier];
  return `${name}${backend === undefined || backend === tier ? '' : ` (${backend})`}. ${text}`;
}

/** A word for the pill, and how it is meant. */
export function connectionWords({ status }: ConnectionView): readonly [text: string, tone: 'good' | 'warning' | 'bad'] {
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
export function playerName({ session }: AppState): string {
  if (session.step !== 'signed-in') return '';
  return session.player?.displayName ?? 'Player';
}

export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
