import type { FilledFixtures, Fixtures, ServiceAddresses } from '../../../src/service/index.ts';

/** A small world that many tests begin with: one application with a bot, three players and a guild. */
export const starfall = {
  applications: [
    {
      id: '100000000000000001',
      name: 'Starfall',
      owner_id: '100000000000000009',
      bot_token: 'starfall-bot-token',
      client_secret: 'starfall-client-secret',
      public_client: true,
      redirect_uris: ['http://127.0.0.1/callback', 'discord-100000000000000001:/authorize/callback'],
      embedded: true,
    },
  ],
  users: [
    { id: '100000000000000009', username: 'ada', global_name: 'Ada', locale: 'de' },
    { id: '100000000000000010', username: 'grace', global_name: 'Grace' },
    { id: '100000000000000011', username: 'edsger' },
  ],
  guilds: [
    {
      id: '100000000000000005',
      name: 'Harbour',
      owner_id: '100000000000000009',
      applications: ['100000000000000001'],
      channels: [{ id: '100000000000000007', type: 0, name: 'general' }],
      members: [{ user_id: '100000000000000009' }, { user_id: '100000000000000010' }],
    },
  ],
} as const satisfies Fixtures;

export const botHeaders = { authorization: 'Bot starfall-bot-token', 'content-type': 'application/json' } as const;

/** One call to the API with the bot's token: status, headers and parsed body. */
export async function callApi(
  { apiBase }: Pick<ServiceAddresses, 'apiBase'>,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = botHeaders,
): Promise<{ status: number; headers: Headers; body: unknown }> {
  const text = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
  const answer = await fetch(`${apiBase}/v10${path}`, { method, headers, ...text });
  const answered = await answer.text();
  return { status: answer.status, headers: answer.headers, body: answered === '' ? undefined : JSON.parse(answered) };
}

/** Adds a document to a running service. */
export async function postFixtures(
  service: Pick<ServiceAddresses, 'controlBase' | 'controlToken'>,
  document: Fixtures,
): Promise<FilledFixtures> {
  const answer = await fetch(`${service.controlBase}/fixtures`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.controlToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(document),
  });
  return (await answer.json()) as FilledFixtures;
}
