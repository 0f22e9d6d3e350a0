import { Client, type Keychain, openCredentials, openKeychain } from '../../../src/sdk/index.ts';
import type { CredentialProcessOptions, Death, Round } from './credential-crowd.ts';

/**
 * A program: one of a game's processes, which share a player's credential. It says `ready`, then answers each
 * {@link Round} by a {@link RoundResult}, until it is killed.
 */
const { baseUrl, applicationId, folder, lock }: CredentialProcessOptions = JSON.parse(process.argv[2] ?? '{}');
let diesWhen: Death | undefined;
const client = new Client({ applicationId, baseUrl });
const opened = await openKeychain({ service: 'Starfall', allow: ['encrypted-file'], folder });
const keychain: Keychain = {
  ...opened,
  async set(account, secret) {
    const isNote = 'attempt' in JSON.parse(secret);
    if (!isNote) await dieIf('answered');
    await opened.set(account, secret);
    await dieIf(isNote ? 'noted' : 'kept');
  },
};
const credentials = await openCredentials({ client, keychain, folder, locks: [lock] });

process.on('message', async (round: Round) => {
  diesWhen = round.diesWhen;
  const result = await credentials.accessToken({ rejected: round.refused }).then(
    token => ({ token }),
    (error: { code?: string }) => ({ code: error.code ?? String(error) }),
  );
  process.send?.(result);
});
process.send?.('ready');

async function dieIf(when: Death): Promise<void> {
  if (when !== diesWhen) return;
  process.kill(process.pid, 'SIGKILL');
  await new Promise(() => {});
}
