import { startService } from '../../src/service/index.ts';
import { type Ended, manifest } from './project.ts';

const applicationId = '1054951789318909972';
const userId = '1054951789318909001';
const botToken = 'a-bot-token-for-this-test-only';

/** A service for the programs in `programs/`, and what they are to be told of it. */
export async function openWorld() {
  const service = await startService({
    limits: 'off',
    fixtures: {
      applications: [
        {
          ...{ id: applicationId, name: 'Starfall', owner_id: userId, bot_token: botToken, public_client: true },
          redirect_uris: ['http://127.0.0.1/callback'],
        },
      ],
      users: [{ id: userId, username: 'ada' }],
    },
  });
  const { webBase: base, controlBase: control, controlToken } = service;
  const world = { base, control, controlToken, applicationId, botToken, userId };
  return { env: { GAME: JSON.stringify(world) }, close: () => service.close() };
}

interface Told {
  readonly hasPlayed: boolean;
  readonly receiveRedirects: string;
  readonly addon: string;
  readonly forwarder: string;
  readonly keychain: string;
}

/** What `game.js` printed, after its whole story went well. @throws Error with what the program said, when it did not */
export function toldByGame({ code, stdout, stderr }: Ended): Told {
  if (code !== 0 || withoutExperiments(stderr) !== '') throw new Error(`The game ended with ${code}: ${stderr}`);
  const told = JSON.parse(stdout) as Told;
  if (!told.hasPlayed || told.receiveRedirects !== 'function') throw new Error(`The game told ${stdout}`);
  return told;
}

/** Without what Node 22 says of its own `node:sqlite`, and of `require` of ES modules. */
export function withoutExperiments(stderr: string): string {
  return stderr.replace(/^\(node:\d+\) ExperimentalWarning: .*\n\(Use .*\n/gm, '');
}

/** What `model.js` says wherever it runs. */
export const toldByModel = {
  version: manifest.version,
  issues: ['STRING_TYPE_REGEX', 'APPLICATION_COMMAND_INVALID_NAME', 'BASE_TYPE_REQUIRED'],
  nameLengthMax: 32,
  ms: 1_671_590_506_630,
};
