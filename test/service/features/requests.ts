import { type Service, startService } from '../../../src/service/service.ts';

/** An application of the fixtures, and its bot's token. */
export const starfall = { id: '1', bot_token: 'starfall-token' };
export const rival = { id: '2', bot_token: 'rival-token' };
export const ada = '101';
export const ben = '102';

/** A service on virtual time with two applications and two users. */
export function startTestService(limits: 'standard' | 'off' = 'off'): Promise<Service> {
  const application = { owner_id: ada, embedded: true };
  return startService({
    clock: 'virtual',
    limits,
    fixtures: {
      users: [
        { id: ada, username: 'ada' },
        { id: ben, username: 'ben' },
      ],
      applications: [
        { ...application, ...starfall, name: 'Starfall' },
        { ...application, ...rival, name: 'Rival', embedded: false },
      ],
    },
  });
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  /** Parsed; undefined when there is none. */
  readonly body: unknown;
  readonly headers: Headers;
}

/** Calls the API as an application's bot; a string as body is sent as it is. */
export async function call(
  service: Service,
  method: string,
  path: string,
  { body, headers, as = starfall }: { body?: unknown; headers?: Record<string, string>; as?: typeof starfall } = {},
): Promise<Answer> {
  const response = await fetch(`${service.apiBase}/v10${path}`, {
    method,
    headers: {
      authorization: `Bot ${as.bot_token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, text, body: text === '' ? undefined : JSON.parse(text), headers: response.headers };
}
