import { homedir } from 'node:os';
import { isAbsolute, posix, win32 } from 'node:path';

/** Where this user's programs keep their data, by each system's own custom. */
export function dataFolder(
  platform: NodeJS.Platform = process.platform,
  env: NodeJS.ProcessEnv = process.env,
  home: string = homedir(),
): string {
  if (platform === 'win32') return win32.join(env.LOCALAPPDATA ?? win32.join(home, 'AppData', 'Local'), 'rallypoint');
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support', 'rallypoint');
  const data = env.XDG_DATA_HOME;
  return posix.join(data && isAbsolute(data) ? data : posix.join(home, '.local', 'share'), 'rallypoint');
}
