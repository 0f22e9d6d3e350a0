import { filter, firstValueFrom } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Client } from '../../src/sdk/client.ts';
import { commandsRefreshMs } from '../../src/sdk/command/live-commands.ts';
import type { CommandPlace, CommandsSnapshot } from '../../src/sdk/command/snapshot.ts';
import { type Service, startService } from '../../src/service/service.ts';
import { VirtualClock } from '../../src/wire/virtual-clock.ts';
import { elapse } from '../support/elapse.ts';
import { callApi, starfall } from '../support/starfall.ts';
import { playerToken } from '../support/tokens.ts';

const [application] = starfall.applications;
const [ada, grace, edsger] = starfall.users;
const [guild] = starfall.guilds;
const [channel] = guild.channels;
const commandsPath = `/applications/${application.id}/commands`;

let service: Service;
let clock: VirtualClock;
let clients: Client[];

beforeEach(async () => {
  service = await startService({ fixtures: starfall, limits: 'off' });
  clock = new VirtualClock(Date.now());
  clients = [];
});

afterEach(async () => {
  await Promise.all(clients.map(client => client.close()));
  await service.close();
});

async function connected({ id }: { readonly id: string }): Promise<Client> {
  const client = new Client({
    applicationId: application.id,
    apiBase: service.api_base,
    webBase: service.web_base,
    clock,
  });
  clients.push(client);
  client.updateToken(await playerToken(service, id));
  await client.connect();
  return client;
}

function commandsOf(client: Client, place: CommandPlace, fits: (snapshot: CommandsSnapshot) => boolean = () => true) {
  const known = client.commands$(place).pipe(filter(snapshot => snapshot.status === 'current' && fits(snapshot)));
  return elapse(clock, firstValueFrom(known), 2 * commandsRefreshMs, 500);
}

const namesOf = ({ commands }: CommandsSnapshot) => commands.map(({ displayName }) => displayName);

describe('the commands a player may use', () => {
  it('are those of the place, in the player’s language', async () => {
    await callApi(service, 'POST', commandsPath, {
      name: 'rally',
      description: 'Calls your party together',
      name_localizations: { de: 'sammeln' },
    });
    const [hers, theirs] = [await connected(ada), await connected(grace)];
    expect(namesOf(await commandsOf(hers, { guildId: guild.id }))).toContain('sammeln');
    const english = await commandsOf(theirs, { channelId: channel.id });
    expect(english.commands.find(({ name }) => name === 'rally')).toMatchObject({
      displayName: 'rally',
      displayDescription: 'Calls your party together',
      applicationId: application.id,
      type: 1,
    });
    expect(namesOf(await commandsOf(hers, 'bot_dm'))).toContain('sammeln');
    expect((await commandsOf(hers, 'user_install')).commands).toEqual([]);
  });

  it('are without those that the player is not permitted', async () => {
    await callApi(service, 'POST', commandsPath, { name: 'purge', description: 'x', default_member_permissions: '0' });
    const [owner, member] = [await connected(ada), await connected(grace)];
    expect(namesOf(await commandsOf(owner, { guildId: guild.id }))).toContain('purge');
    expect(namesOf(await commandsOf(member, { guildId: guild.id }))).not.toContain('purge');
  });

  it('change while they are watched', async () => {
    const client = await connected(ada);
    const place = { guildId: guild.id };
    const states: string[][] = [];
    client.commands$(place).subscribe(snapshot => states.push(namesOf(snapshot)));
    await commandsOf(client, place);
    await callApi(service, 'POST', commandsPath, { name: 'rally', description: 'x' });
    await commandsOf(client, place, snapshot => namesOf(snapshot).includes('rally'));
    expect(states.at(-1)).toContain('rally');
  });

  it('are not to be had where the player is not: that is shown, and the stream goes on', async () => {
    const client = await connected(edsger);
    const shown = client.commands$({ guildId: guild.id }).pipe(filter(({ error }) => error !== undefined));
    expect(await elapse(clock, firstValueFrom(shown))).toMatchObject({
      status: 'loading',
      commands: [],
      error: { code: 'missing_access' },
    });
    expect(() => client.commands$({ guildId: 'x' })).toThrow(expect.objectContaining({ code: 'invalid_snowflake' }));
  });
});
