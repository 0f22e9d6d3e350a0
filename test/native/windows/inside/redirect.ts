import { join } from 'node:path';
import { listenForRedirects, type SchemeReceiver } from '../../../../src/sdk/redirect/listen.ts';
import { kill, startUntil } from './processes.ts';

const game = join(import.meta.dirname, '..', '..', '..', 'sdk', 'redirect', 'game.ts');

/** A window of the game: takes the address that carries its state. */
class GameWindow {
  readonly handed: string[] = [];
  readonly #receiver: Promise<SchemeReceiver>;

  constructor(state: string, argv: readonly string[] = []) {
    const handleRedirect = (address: string) => {
      const isAwaited = new URL(address).searchParams.get('state') === state;
      if (isAwaited) this.handed.push(address);
      return isAwaited;
    };
    this.#receiver = listenForRedirects({ scheme: 'discord-1', client: { handleRedirect }, argv });
  }

  get receiver(): Promise<SchemeReceiver> {
    return this.#receiver;
  }
}

const windows = new Map<string, GameWindow>();

/** Opens a window that waits for an address with this state. */
export async function open(state: string, argv: readonly string[] = []) {
  const window = new GameWindow(state, argv);
  windows.set(state, window);
  const { isFirstInstance, redirectUri, startAddress = null } = await window.receiver;
  return { isFirstInstance, redirectUri, startAddress };
}

export function handedTo(state: string): readonly string[] {
  return windows.get(state)?.handed ?? [];
}

export async function closeAll(): Promise<void> {
  for (const window of windows.values()) (await window.receiver).close();
  windows.clear();
}

/** Whether a window comes first that joined another process, after that was killed. */
export async function outliveFirst(state: string): Promise<readonly boolean[]> {
  const first = await startUntil(game, [''], line => JSON.parse(line).event === 'listening');
  const joined = await open(state);
  await kill(first);
  // Whoever comes now finds the one that took over, as soon as it has.
  for (;;) {
    const next = await open(`${state}-next`);
    if (!next.isFirstInstance) return [joined.isFirstInstance, true];
    (await windows.get(`${state}-next`)?.receiver)?.close();
  }
}
