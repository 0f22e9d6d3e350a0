import { execFile } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Interaction } from '../../../src/model/interaction.ts';
import { type Service, startService } from '../../../src/service/index.ts';
import { intakeLimits, serviceLimits } from '../../../src/service/support/service-limits.ts';
import { type Route, type RouteName, routes } from '../../../src/wire/routes.ts';
import { longestTurnMs } from '../../support/clock/longest-turn.ts';
import { GatewayClient } from '../../support/gateway/gateway-client.ts';
import { botHeaders, callApi, starfall } from '../../support/service/starfall.ts';
import { sessionToken } from '../../support/service/tokens.ts';
import { head, type RawAnswer, sendRaw } from './raw.ts';

const [application] = starfall.applications;
const [guild] = starfall.guilds;
const [ada] = starfall.users;
const formType = 'application/x-www-form-urlencoded';
const mebibyte = 1024 * 1024;
/** What no single body may take of everybody's time. */
const turnMsMax = 50;

const open = Object.entries(routes as Record<string, Route>).filter(
  ([, route]) => route.body !== undefined && route.credentials.includes('none'),
) as [RouteName, Route][];
const proven = new Set(['createInteractionResponse', 'createFollowUp', 'editOriginalResponse', 'editFollowUp']);

const strangersCount = 150;
/** A program that sends so many bodies in chunks of one byte, for each of which Node.js calls the service, and prints how they are answered. */
const strangers = `
  import { once } from 'node:events';
  import { connect } from 'node:net';
  const open = async () => {
    const socket = connect(process.argv[1], '127.0.0.1').setEncoding('latin1');
    await once(socket, 'connect');
    socket.write('POST /api/oauth2/token HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nContent-Type: ${formType}\\r\\n');
    return socket;
  };
  const sockets = await Promise.all(Array.from({ length: ${strangersCount} }, open));
  const body = '1\\r\\na\\r\\n'.repeat(10_000) + '0\\r\\n\\r\\n';
  for (const socket of sockets) socket.write('Transfer-Encoding: chunked\\r\\n\\r\\n' + body);
  for (const socket of sockets) {
    const [answer] = await once(socket, 'data');
    process.stdout.write(answer.slice(0, 12));
    socket.destroy();
  }
`;

let service: Service;
beforeAll(async () => {
  service = await startService({ fixtures: starfall, limits: 'off', clock: 'virtual' });
});
afterAll(() => service.close());

function pathOf({ path }: Route): string {
  return `/api/v10${path.replace('{interaction_token}', 'nobody').replace(/\{\w+\}/g, '1')}`;
}

/** What is answered to a request whose body never comes. */
function headOnly(route: Route, ...fields: readonly string[]): Promise<RawAnswer> {
  return sendRaw(service, head(route.method, pathOf(route), ...fields));
}

describe('a body without a valid credential', () => {
  it('is taken without a credential by known routes alone', () => {
    expect(open.map(([name]) => name)).toEqual([
      'createInteractionResponse',
      'createFollowUp',
      'editOriginalResponse',
      'editFollowUp',
      'editWebhookByToken',
      'executeGithubWebhook',
      'executeSlackWebhook',
      'createToken',
      'revokeToken',
      'startDevice',
      'createProvisionalToken',
      'createChildToken',
      'unmergeProvisionalAccount',
    ]);
  });

  it.each(open)('of 24 MiB is answered by %s before any of it has come', async (name, route) => {
    const types =
      route.body === 'form' ? [formType] : ['application/json', 'multipart/form-data; boundary=x', formType];
    for (const type of types) {
      const { status } = await headOnly(route, `Content-Type: ${type}`, `Content-Length: ${24 * mebibyte}`);
      const isByToken = route.path.includes('interaction_token');
      expect(status).toBe(isByToken ? (name === 'createInteractionResponse' ? 404 : status === 401 ? 401 : 404) : 413);
    }
  });

  it('that is sent in full although it is too large does not hide the answer from its sender', async () => {
    const body = Buffer.alloc(8 * mebibyte, 'a');
    const fields = [`Content-Type: ${formType}`, `Content-Length: ${body.length}`];
    for (let n = 0; n < 10; n++) {
      const { status } = await sendRaw(service, head('POST', '/api/oauth2/token', ...fields), body);
      expect(status).toBe(413);
    }
  });

  it.each(open)('without a length is answered by %s once it has 64 KiB, or before', async (_, route) => {
    const request = head(route.method, pathOf(route), `Content-Type: ${formType}`, 'Transfer-Encoding: chunked');
    const chunk = `10000\r\n${'a&'.repeat(32 * 1024)}\r\n`;
    const { status } = await sendRaw(service, request, chunk, chunk, '0\r\n\r\n');
    expect([400, 401, 404, 413]).toContain(status);
  });

  it.each(open.filter(([name]) => !proven.has(name)))(
    'keeps %s from others for no more than 50 ms',
    async (_, route) => {
      const worst = ['a&', 'a=1&', '&', '=&', '%', '%ff', '+', 'grant_type=a&'];
      for (const unit of worst) {
        const body = unit.repeat(Math.floor(intakeLimits.unprovenBodyBytesMax / unit.length));
        const type = route.body === 'form' ? formType : 'application/json';
        const request = head(route.method, pathOf(route), `Content-Type: ${type}`, `Content-Length: ${body.length}`);
        let answer: RawAnswer | undefined;
        const turnMs = await longestTurnMs(turnMsMax, async () => {
          answer = await sendRaw(service, request, body);
        });
        expect(answer?.status).toBeLessThan(500);
        expect(turnMs).toBeLessThan(turnMsMax);
      }
    },
  );

  it('keeps others waiting hardly longer when many send one at the same moment', async () => {
    const { port } = new URL(service.controlBase);
    // Once, because it varies how many bodies are there when the first is read: all would take seconds.
    const turnMs = await longestTurnMs(Number.POSITIVE_INFINITY, async () => {
      const args = ['--input-type=module', '--eval', strangers, port];
      const { stdout } = await promisify(execFile)(process.execPath, args);
      expect(stdout).toBe('HTTP/1.1 400'.repeat(strangersCount));
    });
    expect(turnMs).toBeLessThan(6 * turnMsMax);
  });

  it('whose sender asks first (Expect) is asked for only when it is going to be read', async () => {
    const fields = (length: number) => [
      'Expect: 100-continue',
      `Content-Type: ${formType}`,
      `Content-Length: ${length}`,
    ];
    for (const [target, length, status] of [
      ['/api/oauth2/token', 24 * mebibyte, 413],
      ['/api/v10/interactions/1/nobody/callback', 24 * mebibyte, 404],
      ['/nothing', 1, 404],
      ['/healthz', 1, 405],
    ] as const) {
      expect([target, (await sendRaw(service, head('POST', target, ...fields(length)))).status]).toEqual([
        target,
        status,
      ]);
    }
    const asked = await sendRaw(service, head('POST', '/api/oauth2/token', ...fields(3)), 'a=b');
    expect([asked.status, asked.body]).toEqual([100, expect.stringMatching(/^HTTP\/1.1 400 /)]);
    const page = await sendRaw(
      service,
      head('POST', `/oauth2/authorize?client_id=${application.id}`, ...fields(3)),
      'a=b',
    );
    expect([page.status, page.body]).toEqual([100, expect.stringMatching(/^HTTP\/1.1 400 /)]);
  });

  it('is read although its sender expects something else', async () => {
    const fields = ['Expect: a-miracle', `Content-Type: ${formType}`, 'Content-Length: 3'];
    const { status, headers } = await sendRaw(service, head('POST', '/api/oauth2/token', ...fields), 'a=b');
    expect([status, headers['x-request-id']]).toEqual([400, expect.stringMatching(/^[0-9a-f]{16}$/)]);
  });

  it('that stays one byte short is dropped once all such bodies take 32 MiB', async () => {
    const length = intakeLimits.unprovenBodyBytesMax;
    const fitting = intakeLimits.unprovenBytesMax / length;
    const more = 20;
    const request = head('POST', '/api/v10/oauth2/token', `Content-Type: ${formType}`, `Content-Length: ${length}`);
    const senders: Socket[] = [];
    const closed: number[] = [];
    const { hostname, port } = new URL(service.webBase);
    for (let number = 0; number < fitting + more; number++) {
      const sender = connect(Number(port), hostname);
      senders.push(sender);
      sender.on('error', () => {});
      sender.on('close', () => closed.push(number));
      await new Promise<void>(resolve => sender.write(request + 'a'.repeat(length - 1), () => resolve()));
    }
    while (closed.length < more) await callApi(service, 'GET', '/gateway', undefined, {});
    const form = new URLSearchParams({ grant_type: 'client_credentials', scope: 'identify' });
    const authorization = `Basic ${btoa(`${application.id}:${application.client_secret}`)}`;
    const answer = await fetch(`${service.apiBase}/v10/oauth2/token`, {
      method: 'POST',
      body: form,
      headers: { authorization },
    });
    expect(answer.status).toBe(200);
    // Which of them are the oldest is for the network to decide.
    expect(closed.length).toBeLessThan(2 * more);
    for (const sender of senders) sender.destroy();
  });
});

describe('the form of a page', () => {
  const page = '/oauth2/activate';

  async function strangerBytes(): Promise<number> {
    const [, bytes] = /^rallypoint_\w+\{sender="stranger"\} (\d+)$/m.exec(await service.metrics()) ?? [];
    return Number(bytes);
  }

  it('counts with the bodies of strangers while it arrives', async () => {
    const { hostname, port } = new URL(service.webBase);
    const request = head('POST', page, `Content-Type: ${formType}`, 'Content-Length: 8192');
    const senders = Array.from({ length: 3 }, () => connect(Number(port), hostname));
    for (const sender of senders) sender.write(request + 'a'.repeat(8191));
    await expect.poll(strangerBytes).toBe(3 * 8191);
    for (const sender of senders) sender.destroy();
    await expect.poll(strangerBytes).toBe(0);
  });

  it.each([
    ['more than 8 KiB', 'a'.repeat(8193), 413],
    ['more than 100 fields', 'a&'.repeat(100), 400],
    ['8 KiB', 'a'.repeat(8192), 200],
    ['100 fields', 'a&'.repeat(99), 200],
  ])('with %s is answered by a page', async (_, body, expected) => {
    const fields = [`Content-Type: ${formType}`, `Content-Length: ${body.length}`];
    const { status, headers } = await sendRaw(service, head('POST', page, ...fields), body);
    expect([status, headers['content-type']]).toEqual([expected, 'text/html; charset=utf-8']);
  });
});

describe('a large body of somebody who may send it', () => {
  let bot: GatewayClient;
  let interaction: Interaction;
  beforeAll(async () => {
    const path = `/applications/${application.id}/commands`;
    const { id, version, name, type } = (await callApi(service, 'POST', path, { name: 'greet', description: 'Greets' }))
      .body as Record<string, unknown>;
    bot = await GatewayClient.identified(service.gateway, { token: application.bot_token });
    const place = { application_id: application.id, guild_id: guild.id, channel_id: guild.channels[0].id };
    const use = { type: 2, ...place, data: { id, version, name, type } };
    const token = await sessionToken(service, ada.id);
    await callApi(service, 'POST', '/interactions', use, { 'content-type': 'application/json', authorization: token });
    await bot.until(() => bot.frames.some(({ t }) => t === 'INTERACTION_CREATE'));
    interaction = bot.frames.find(({ t }) => t === 'INTERACTION_CREATE')?.d as Interaction;
  });
  afterAll(() => bot.end());

  const largest = serviceLimits.requestBodyBytesMax;
  const fill = (unit: string, before: string, after: string, bytes = largest) =>
    before + unit.repeat(Math.floor((bytes - before.length - after.length) / unit.length)) + after;
  const distinct = (count: number, item: (number: number) => string) =>
    Array.from({ length: count }, (_, number) => item(number)).join(',');
  const commands = `/applications/${application.id}/commands`;

  it.each([
    ['lists in lists', () => fill('[', '', '')],
    ['lists in lists that end', () => '['.repeat(largest / 2) + ']'.repeat(largest / 2)],
    ['objects in objects', () => fill('{"a":', '', '')],
    ['empty lists', () => fill('[],', '[', '[]]')],
    ['empty objects', () => fill('{},', '[', '{}]')],
    ['as many values as are taken', () => `[${distinct(intakeLimits.jsonValuesMax / 2 - 1, () => '[]')}]`],
    ['names that all differ', () => `{${distinct(31_000, number => `"k${number}":1`)}}`],
    ['objects that all differ', () => `[${distinct(190_000, number => `{"k${number}":1}`)}]`],
    ['one text', () => fill('a', '{"metadata":{"a":"', '"}}')],
    ['one text of escapes', () => fill('\\u00e9', '{"metadata":{"a":"', '"}}')],
    ['one text that is never closed', () => fill('\\"', '{"metadata":{"a":"', '')],
    ['blanks', () => fill(' ', '{"metadata":', '{}}')],
    ['names of ids', () => fill('"id":   ', '{"metadata":', '{}}')],
    ['ids as numbers', () => `[${distinct(190_000, () => '{"id":1234567890123456789}')}]`],
    ['one number', () => fill('9', '{"idle_timeout_seconds":', '}')],
  ])('(%s) keeps others waiting for no more than 50 ms', async (_, make) => {
    const body = make();
    for (const [method, path] of [
      ['POST', '/lobbies'],
      ['PUT', commands],
    ] as const) {
      let status = 0;
      const turnMs = await longestTurnMs(turnMsMax, async () => {
        ({ status } = await callApi(service, method, path, body));
      });
      expect([method, status < 500, turnMs < turnMsMax, turnMs]).toEqual([method, true, true, turnMs]);
    }
  });

  const part = (name: string, content: string) =>
    `--x\r\nContent-Disposition: form-data; ${name}\r\n\r\n${content}\r\n`;
  const files = 24 * mebibyte;
  it.each([
    ['parts without end', () => part('name="a"', '').repeat(files / 60)],
    ['delimiters that are none', () => part('name="files[0]"; filename="a"', '\r\n-\r\n--'.repeat(files / 7))],
    ['line breaks', () => part('name="a"', '\r\n'.repeat(files / 2))],
    ['a head without end', () => `--x\r\n${'a: b\r\n'.repeat(files / 6)}`],
    ['one text', () => `${part('name="content"', 'a'.repeat(files))}--x--`],
    ['two files', () => `${part('name="a"; filename="a"', 'a'.repeat(10 * mebibyte)).repeat(2)}--x--`],
    ['its boundary over and over', () => '--x'.repeat(files / 3)],
  ])('(a form of %s) keeps others waiting for no more than 50 ms', async (_, make) => {
    const body = make();
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    let status = 0;
    const turnMs = await longestTurnMs(turnMsMax, async () => {
      ({ status } = await callApi(
        service,
        'POST',
        `/interactions/${interaction.id}/${interaction.token}/callback`,
        body,
        headers,
      ));
    });
    expect([status < 500, turnMs < turnMsMax, turnMs]).toEqual([true, true, turnMs]);
  });

  it('that breaks off does nothing', async () => {
    const { body } = await callApi(service, 'POST', '/lobbies', { metadata: { kept: 'yes' } });
    const { id } = body as { id: string };
    const request = head(
      'PATCH',
      `/api/v10/lobbies/${id}`,
      `Authorization: ${botHeaders.authorization}`,
      'Content-Type: application/json',
      'Content-Length: 100',
    );
    const { hostname, port } = new URL(service.webBase);
    await new Promise<void>(resolve => {
      const socket = connect(Number(port), hostname, () => socket.write(`${request}{}`, () => socket.destroy()));
      socket.on('close', () => resolve());
    });
    expect((await callApi(service, 'GET', `/lobbies/${id}`)).body).toMatchObject({ metadata: { kept: 'yes' } });
  });
});
