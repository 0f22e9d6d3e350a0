import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unregisterScheme } from '@rallypoint/sdk';
import { type Service, startService } from '@rallypoint/sdk/service';
import { startGameBackend } from '../game-backend/server.ts';
import { readOptions } from '../read-options.ts';
import { buildSample } from './build.ts';
import { findElectron } from './host/find-program.ts';
import { variables } from './main/options.ts';
import { applicationId, botToken, fixtures } from './starfall.ts';

/**
 * `npm run sample`: the service with a small world in it, the game's server, and the game, each talking to the others
 * as if they were machines apart. What they keep stays until the next run; `--fresh` begins anew. `--players 2` opens the
 * game of a second player beside it; `--once` ends when the windows are up, and keeps nothing; `--headless` shows none;
 * `--stand-in` takes Chromium even where Electron is; `--port` is the service's.
 */
const usage = 'npm run sample -- [--fresh] [--once] [--players N] [--port N] [--headless] [--stand-in]';
const values = readOptions(usage, {
  once: { type: 'boolean' },
  headless: { type: 'boolean' },
  'stand-in': { type: 'boolean' },
  port: { type: 'string' },
  players: { type: 'string' },
  fresh: { type: 'boolean' },
});

const hostEntry = join(import.meta.dirname, 'host', 'main.ts');
const folder = values.once ? mkdtempSync(join(tmpdir(), 'starfall-')) : keptFolder();
process.exitCode = await run();
if (values.once) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });

async function run(): Promise<number> {
  const { main } = await buildSample();
  let service: Service;
  try {
    service = await startService({ fixtures, data: join(folder, 'service'), port: Number(values.port ?? 0) });
  } catch (error) {
    process.stderr.write(`The service does not start: ${(error as Error).message}\n`);
    return 1;
  }
  say(`Service       ${service.webBase}`);
  const backend = await startGameBackend({ applicationId, botToken, baseUrl: service.webBase, log: say });
  say(`Game server   ${backend.address}  (it alone has the bot token)`);
  const environment = {
    [variables.applicationId]: applicationId,
    [variables.baseUrl]: service.webBase,
    [variables.backendBase]: backend.address,
    ...(values.once && { STARFALL_ONCE: '1' }),
    ...(values.headless && { STARFALL_HEADLESS: '1' }),
  };
  try {
    const players = Array.from({ length: Number(values.players ?? 1) }, (_, place) => environmentOf(place));
    const codes = await Promise.all(players.map(player => runApp(main, { ...environment, ...player })));
    say('The app has ended, and so does the rest.');
    return Math.max(0, ...codes);
  } finally {
    // A game stays the program of its scheme when it ends; this one is not there to be started.
    await unregisterScheme({ applicationId, scheme: process.env[variables.scheme] }).catch(() => {});
    await backend.close();
    await service.close();
  }
}

function keptFolder(): string {
  const kept = join(import.meta.dirname, '..', '..', '.rallypoint', 'sample');
  if (values.fresh) rmSync(kept, { recursive: true, force: true });
  mkdirSync(kept, { recursive: true, mode: 0o700 });
  return kept;
}

/** Players of one machine: each with a profile and a sign-in of their own. */
function environmentOf(place: number): Readonly<Record<string, string>> {
  const profile = { [variables.profile]: join(folder, `profile-${place + 1}`) };
  if (place === 0) return profile;
  // The scheme leads to one game of a machine.
  const others = { [variables.redirect]: 'loopback', [variables.keychainService]: `Starfall player ${place + 1}` };
  return { ...profile, ...others };
}

async function runApp(main: string, environment: Readonly<Record<string, string>>): Promise<number> {
  const electron = values['stand-in'] ? undefined : findElectron();
  say(
    electron
      ? `App           Electron, ${electron}`
      : 'App           Electron is not here: the same main process and the same windows run in Chromium instead.',
  );
  const [program, entry] = electron ? [electron, main] : [process.execPath, hostEntry];
  // The choices of whoever runs this come before ours.
  const app = spawn(program, [entry], { stdio: 'inherit', env: { ...environment, ...process.env } });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => app.kill(signal));
  const [code] = (await once(app, 'exit')) as [number | null];
  return code ?? 1;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
