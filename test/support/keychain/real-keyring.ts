import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const recipe = join(import.meta.dirname, '../../sdk/keychain/real-keyring.sh');

/** A session bus of its own with a throw-away keyring. */
export interface RealKeyring {
  /** Of the bus: what a process needs to find it. */
  readonly env: Readonly<Record<string, string>>;
  /** Locks the keyring; no user is present to unlock it. */
  lock(): Promise<void>;
  stop(): Promise<void>;
}

/** @param state `none`: the service is there, but the person has no keyring yet */
export async function startKeyring(state: 'unlocked' | 'none' = 'unlocked'): Promise<RealKeyring> {
  const told = ['sh', '-c', 'echo "$DBUS_SESSION_BUS_ADDRESS"; cat'];
  const session = spawn(recipe, told, { stdio: ['pipe', 'pipe', 'ignore'], env: { ...process.env, KEYRING: state } });
  const [line] = (await once(session.stdout, 'data')) as [Buffer];
  const env = { DBUS_SESSION_BUS_ADDRESS: line.toString().trim() };
  return {
    env,
    async lock() {
      const service = ['--session', '--print-reply', '--dest=org.freedesktop.secrets', '/org/freedesktop/secrets'];
      const login = 'array:objpath:/org/freedesktop/secrets/collection/login';
      await run('dbus-send', [...service, 'org.freedesktop.Secret.Service.Lock', login], {
        env: { ...process.env, ...env },
      });
    },
    async stop() {
      const ended = once(session, 'exit');
      session.stdin.end();
      await ended;
    },
  };
}
