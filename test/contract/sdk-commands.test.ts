import { firstValueFrom } from 'rxjs';
import { filter } from 'rxjs/operators';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Client } from '../../src/sdk/index.ts';
import { startService } from '../../src/service/index.ts';
import { callApi, starfall } from '../support/service/starfall.ts';
import { playerToken } from '../support/service/tokens.ts';

const applicationId = starfall.applications[0].id;
const guildId = starfall.guilds[0].id;

async function watchHarbour() {
  const service = await startService({ fixtures: starfall, limits: 'off' });
  const client = new Client({ applicationId, baseUrl: service.webBase });
  onTestFinished(async () => {
    await client.close();
    await service.close();
  });
  client.updateToken(await playerToken(service, starfall.users[0].id));
  await client.connect();
  const seen: string[][] = [];
  const commands$ = client.commands$({ guildId });
  commands$.subscribe(({ commands }) => seen.push(commands?.map(({ name }) => name) ?? []));
  const shows = (name: string, isShown = true) =>
    firstValueFrom(
      commands$.pipe(
        filter(({ commands }) => commands !== undefined && commands.some(one => one.name === name) === isShown),
      ),
    );
  return { service, shows };
}

/** The names of the commands that are shown. */
function namesOf({ commands = [] }: { commands?: readonly { name: string }[] | undefined }): string[] {
  return commands.map(({ name }) => name);
}

describe('the commands of a place that a player watches', () => {
  it('show a new, a renamed and a deleted command as soon as it is so, without asking again by the clock', async () => {
    const { service, shows } = await watchHarbour();
    const path = `/applications/${applicationId}/guilds/${guildId}/commands`;
    const { body } = await callApi(service, 'POST', path, { name: 'rally', description: 'Calls your party together' });
    expect(namesOf(await shows('rally'))).toContain('rally');
    const { id } = body as { id: string };
    await callApi(service, 'PATCH', `${path}/${id}`, { name: 'gather' });
    const renamed = namesOf(await shows('gather'));
    expect([renamed.includes('gather'), renamed.includes('rally')]).toEqual([true, false]);
    await callApi(service, 'DELETE', `${path}/${id}`);
    expect(namesOf(await shows('gather', false))).not.toContain('gather');
  });

  it('show global commands, too', async () => {
    const { service, shows } = await watchHarbour();
    await callApi(service, 'POST', `/applications/${applicationId}/commands`, {
      name: 'meet',
      description: 'Where to',
    });
    expect(namesOf(await shows('meet'))).toContain('meet');
  });
});
