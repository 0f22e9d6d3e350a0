import { REST } from '@discordjs/rest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Service, startService } from '../../src/service/index.ts';
import { starfall } from '../support/service/starfall.ts';

const [application] = starfall.applications;

let service: Service;
beforeAll(async () => {
  service = await startService({ fixtures: starfall, limits: 'off' });
});
afterAll(() => service.close());

const path = `/applications/${application.id}/commands` as const;
const command = { name: 'ping', description: 'Ping' };
const option = { type: 3, name: 'text', description: 'Text' };

async function failureOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'no failure',
    (error: Error) => error.message,
  );
}

describe('the errors of a body, read by an unmodified @discordjs/rest', () => {
  const options = Array.from({ length: 26 }, (_, i) => ({ ...option, name: `text${i}` }));
  const tooMany = 'options[BASE_TYPE_MAX_LENGTH]: Must be 25 or fewer in length.';
  const unnamed = 'options[3].name[BASE_TYPE_REQUIRED]: This field is required';

  it('name the list that is too long', async () => {
    const rest = new REST({ api: service.apiBase }).setToken(application.bot_token);
    const message = await failureOf(rest.post(path, { body: { ...command, options } }));
    expect(message).toBe(`Invalid Form Body\n${tooMany}`);
  });

  it('name the field of an item while the list is too long, too', async () => {
    const rest = new REST({ api: service.apiBase }).setToken(application.bot_token);
    const body = { ...command, options: options.with(3, { ...option, name: '' }) };
    const message = await failureOf(rest.post(path, { body }));
    expect(message).toBe(`Invalid Form Body\n${unnamed}`);
  });
});
