import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { Client } from '../../../../src/sdk/client.ts';
import { openCredentials } from '../../../../src/sdk/credentials/open-credentials.ts';
import type { ProcessLockKind } from '../../../../src/sdk/credentials/process-lock.ts';
import { openKeychain } from '../../../../src/sdk/keychain/open-keychain.ts';
import type { ServiceAddresses } from '../../../../src/service/index.ts';
import { Crowd, deaths } from '../../../support/keychain/credential-crowd.ts';

export interface Story {
  readonly service: ServiceAddresses;
  readonly applicationId: string;
  readonly userId: string;
  readonly program: string;
  readonly folder: string;
  readonly lock: ProcessLockKind;
  readonly processes: number;
  readonly rounds: number;
}

/** A player who stays signed in, while processes of the game refresh the credential and are killed. */
export async function outlive(story: Story) {
  const { service, applicationId, userId, program, folder, lock, processes, rounds } = story;
  const keychain = await openKeychain({ service: 'Starfall', allow: ['encrypted-file'], folder });
  const addresses = { applicationId, baseUrl: service.webBase };
  const client = new Client({ ...addresses, openBrowser: url => approve(service, url, userId) });
  const own = await openCredentials({ client, keychain, folder, locks: [lock] });
  await own.signIn();
  const crowd = new Crowd(program, processes, { ...addresses, folder, lock }, 1);
  const told: unknown[] = [];
  try {
    let token = await own.accessToken();
    for (let round = 1; round <= rounds; round++) {
      // Wine does not always start twenty programs concurrently.
      await crowd.fill(5);
      const answers = await crowd.refresh(token, deaths[round % deaths.length] ?? 'answered');
      const next = await own.accessToken({ rejected: token });
      const { id } = await client.fetchCurrentUser({ accessToken: next });
      const others = answers.filter(answer => !('token' in answer && answer.token === next));
      const { generation } = JSON.parse((await keychain.get(applicationId)) ?? '{}');
      told.push({ isNew: next !== token, others, id, generation, ...pick(own.state) });
      token = next;
    }
  } finally {
    await crowd.close();
    await own.close();
    await client.close();
  }
  return told;
}

/** A browser in which this user approves. Under Wine global fetch cannot connect. */
async function approve({ controlBase, controlToken }: ServiceAddresses, url: string, userId: string): Promise<void> {
  const headers = { authorization: `Bearer ${controlToken}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ authorize_url: url, user_id: userId, decision: 'approve' });
  const answer = await send(`${controlBase}/consent`, { method: 'POST', headers }, body);
  const { redirect_to } = (await json(answer)) as { redirect_to: string };
  (await send(redirect_to, {})).resume();
}

function send(url: string, options: RequestOptions, body = ''): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => request(url, options, resolve).on('error', reject).end(body));
}

function pick({ status, lock }: { status: string; lock: string }) {
  return { status, lock };
}
