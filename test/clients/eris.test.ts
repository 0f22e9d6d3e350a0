import { once } from 'node:events';
import { Agent } from 'node:https';
import { connect } from 'node:net';
import { Client } from 'eris';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Service, startService } from '../../src/service/index.ts';
import { starfall } from '../support/service/starfall.ts';

const [application] = starfall.applications;
const [guild] = starfall.guilds;

/** The client speaks HTTPS alone; a proxy in front of a service takes the TLS off, as this agent does. */
class PlainAgent extends Agent {
  readonly #port: number;

  constructor(port: number) {
    super();
    this.#port = port;
  }

  override createConnection() {
    return connect(this.#port, '127.0.0.1');
  }
}

let service: Service;
beforeAll(async () => {
  service = await startService({ fixtures: starfall, limits: 'off' });
});
afterAll(() => service.close());

describe('an unmodified Eris client', () => {
  it('gets ready, has its guild, and calls the API', async () => {
    const { hostname, port } = new URL(service.apiBase);
    const rest = { domain: hostname, baseURL: '/api/v10', agent: new PlainAgent(Number(port)) };
    const client = new Client(`Bot ${application.bot_token}`, { intents: ['guilds', 'guildMembers'], rest });
    const isReady = once(client, 'ready');
    await client.connect();
    await isReady;
    expect(client.user.id).toBe(application.id);
    expect(client.guilds.get(guild.id)?.name).toBe('Harbour');
    expect((await client.guilds.get(guild.id)?.fetchMembers())?.map(({ id }) => id)).toContain(starfall.users[0].id);
    const command = await client.createCommand({ type: 1, name: 'greet', description: 'Greets' });
    expect((await client.getCommands()).map(({ id }) => id)).toContain(command.id);
    client.disconnect({ reconnect: false });
  });
});
