import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { startService } from '@rallypoint/sdk/service';
import { type BenchRow, milliseconds, type Round, row } from './row.ts';

/**
 * From the browser's redirect to tokens in hand, in a process that has signed nobody in before: the client against
 * `node:http` alone, which takes the redirect and asks for the tokens, and checks nothing.
 */
const rounds = 11;
const script = new URL('./support/sign-in-once.ts', import.meta.url).pathname;

export async function run(): Promise<BenchRow[]> {
  const service = await startService({
    limits: 'off',
    fixtures: {
      applications: [
        { id: '100', name: 'Bench', owner_id: '1', public_client: true, redirect_uris: ['http://127.0.0.1/callback'] },
      ],
      users: [{ id: '1', username: 'ada' }],
    },
  });
  const { webBase, controlBase, controlToken } = service;
  const once = async (side: 'ours' | 'bare') => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      script,
      JSON.stringify({ side, baseUrl: webBase, controlBase: controlBase, controlToken: controlToken }),
    ]);
    return Number(stdout);
  };
  try {
    await once('ours');
    await once('bare');
    const figures: Round[] = [];
    for (let round = 0; round < rounds; round++) figures.push({ ours: await once('ours'), peer: await once('bare') });
    return [row('sign-in, from the redirect to tokens', milliseconds, figures, { sign: '≤', value: 2.5 })];
  } finally {
    await service.close();
  }
}

if (import.meta.main) console.table(await run());
