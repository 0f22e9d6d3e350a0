import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../../../src/sdk/client.ts';
import { openCredentials } from '../../../src/sdk/credentials/open-credentials.ts';
import type { ProcessLockKind } from '../../../src/sdk/credentials/process-lock.ts';
import { openKeychain } from '../../../src/sdk/keychain/open-keychain.ts';
import { type Service, startService } from '../../../src/service/index.ts';
import { browserOf } from '../../support/browser/player.ts';
import { buildProgram, Crowd, deaths, native } from '../../support/keychain/credential-crowd.ts';
import { temporaryFolder } from '../../support/runs/folder.ts';
import { type Needs, needs } from '../../support/runs/parts.ts';
import { seedOf } from '../../support/runs/soak.ts';
import { starfall } from '../../support/service/starfall.ts';

const processes = 20;
// One for each point at which a process may die, and the worst once more.
const rounds = deaths.length + 1;

const [application] = starfall.applications;
const [ada] = starfall.users;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let program: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  program = await buildProgram(folder.path);
});
afterAll(() => folder.remove());

const kinds: readonly (readonly [ProcessLockKind, Needs])[] = [
  ['native', await needs('addon')],
  ['sqlite', await needs()],
];

describe.each(kinds)('twenty processes that share a credential by a lock of kind %s', (kind, { missing, note }) => {
  const seed = seedOf(1);
  let service: Service;

  beforeAll(async () => {
    service = await startService({ fixtures: starfall, limits: 'off' });
    process.env.RALLYPOINT_NATIVE = native;
  });
  afterAll(() => service.close());

  it.skipIf(missing)(
    `refresh it once a round, sign nobody out and lose nothing, wherever some of them are killed (seed ${seed})${note}`,
    { timeout: 60_000 },
    async () => {
      const shared = join(folder.path, kind);
      const keychain = await openKeychain({ service: 'Starfall', allow: ['encrypted-file'], folder: shared });
      const addresses = { applicationId: application.id, baseUrl: service.webBase };
      const client = new Client({ ...addresses, openBrowser: browserOf(service, ada.id) });
      const own = await openCredentials({ client, keychain, folder: shared, locks: [kind] });
      await own.signIn();
      const crowd = new Crowd(program, processes, { ...addresses, folder: shared, lock: kind }, seed);
      try {
        let token = await own.accessToken();
        for (let round = 1; round <= rounds; round++) {
          await crowd.fill();
          const diesWhen = deaths[round % deaths.length] ?? 'answered';
          const told = await crowd.refresh(token, diesWhen);
          // Should all have died before one came to it, this one refreshes; else it takes over what they got.
          const next = await own.accessToken({ rejected: token });
          expect(next).not.toBe(token);
          expect(told).toEqual(told.map(() => ({ token: next })));
          expect(await client.fetchCurrentUser({ accessToken: next })).toMatchObject({ id: ada.id });
          expect(await generation(keychain)).toBe(round + 1);
          expect(own.state).toMatchObject({ status: 'signed-in', lock: kind });
          token = next;
        }
      } finally {
        await crowd.close();
        await own.close();
        await client.close();
      }
    },
  );
});

/** How often the credential was replaced, the sign-in included. */
async function generation(keychain: { get(account: string): Promise<string | undefined> }): Promise<number> {
  return JSON.parse((await keychain.get(application.id)) ?? '{}').generation;
}
