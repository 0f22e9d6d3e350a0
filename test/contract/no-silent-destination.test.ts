import { readdirSync, readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type BackendOptions, createBackend } from '../../src/backend/index.ts';
import { rallypoint } from '../../src/cli/rallypoint.ts';
import { AuthorizationArgs, Client } from '../../src/sdk/index.ts';

const source = join(import.meta.dirname, '../../src');

// Every connection of Node.js, also one of http, undici and ws, begins here.
let connections: unknown[][];
beforeEach(() => {
  connections = [];
  vi.spyOn(Socket.prototype, 'connect').mockImplementation((...destination: unknown[]) => {
    connections.push(destination);
    throw new Error('Nothing may be sent.');
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  expect(connections).toEqual([]);
});

const missing = expect.objectContaining({ name: 'ArgumentError', code: 'missing_base_url' });

describe('without a base URL', () => {
  it.each([{}, { baseUrl: undefined }, { baseUrl: '' }, undefined])('a client of %j is rejected', options => {
    const create = () => new Client(options as { baseUrl: string });
    expect(create).toThrow(missing);
    expect(create).toThrow(/RALLYPOINT_BASE_URL/);
  });

  it.each([{}, { baseUrl: undefined }, { baseUrl: '' }, undefined])('a backend of %j is rejected', options => {
    const create = () =>
      createBackend((options && { applicationId: '1', botToken: 'x', ...options }) as BackendOptions);
    expect(create).toThrow(missing);
    expect(create).toThrow(/RALLYPOINT_BASE_URL/);
  });

  it.each(['plan', 'deploy', 'check', 'pull', 'show'])('"rallypoint commands %s" exits with 2', async action => {
    let stderr = '';
    const code = await rallypoint(['commands', action, ...(/pull|show/.test(action) ? [] : ['commands.json'])], {
      stdout: { write: () => {} },
      stderr: { write: text => (stderr += text) },
      environment: { RALLYPOINT_APPLICATION_ID: '1', RALLYPOINT_BOT_TOKEN: 'x' },
      askHidden: async () => undefined,
      askWhether: async () => undefined,
    });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/--base-url.*RALLYPOINT_BASE_URL/) });
  });
});

describe('with a base URL', () => {
  it('a client shows no page and makes no share link of another host', async () => {
    const pages: string[] = [];
    const client = new Client({
      baseUrl: 'https://play.example',
      applicationId: '1',
      openBrowser: url => void pages.push(url),
    });
    const { challenge } = client.createAuthorizationCodeVerifier();
    const args = new AuthorizationArgs().setCodeChallenge(challenge);
    const authorized = client.authorize(args, { redirect: 'custom-scheme' });
    await vi.waitFor(() => expect(pages).toHaveLength(1));
    client.abortAuthorize();
    await expect(authorized).rejects.toMatchObject({ code: 'aborted' });
    expect(new URL(pages[0] ?? '').origin).toBe('https://play.example');
    await client.close();
  });

  it('a credential that is unset is named before anything is sent', () => {
    const create = (options: object) => () =>
      createBackend({ baseUrl: 'https://play.example', applicationId: '1', ...options });
    expect(create({})).toThrow(/botToken and clientSecret are both missing.*RALLYPOINT_BOT_TOKEN/);
    expect(create({ botToken: undefined })).toThrow(/RALLYPOINT_BOT_TOKEN/);
    expect(create({ botToken: '' })).toThrow(/^botToken is empty.*RALLYPOINT_BOT_TOKEN/);
    expect(create({ clientSecret: '' })).toThrow(/^clientSecret is empty.*RALLYPOINT_CLIENT_SECRET/);
    expect(create({ applicationId: undefined, botToken: 'x' })).toThrow(/RALLYPOINT_APPLICATION_ID/);
    expect(create({ applicationId: '', botToken: 'x' })).toThrow(/^applicationId is missing/);
  });
});

describe('the source', () => {
  it('names the hosted service once, as a constant that nothing uses by itself', () => {
    const named = sources().flatMap(([file, text]) =>
      text
        .split('\n')
        .filter(line => /discord(app)?\.(com|gg|dev|media|net)|discordsays/.test(line))
        .map(line => [file, line]),
    );
    expect(named).toEqual([['wire/addresses.ts', "export const discordBaseUrl = 'https://discord.com';"]]);
    const users = sources().filter(([, text]) =>
      /^(?!.*export).*\bdiscordBaseUrl\b(?!\})/m.test(withoutComments(text)),
    );
    expect(users.map(([file]) => file)).toEqual(['wire/addresses.ts']);
  });

  it('has no other address to send to than loopback', () => {
    const addresses = sources().flatMap(
      ([, text]) =>
        withoutComments(text)
          .replaceAll(/<a href="[^"]*"/g, '')
          .match(/\b(https?|wss?):\/\/[\w.-]+\.[a-z]{2,}/g) ?? [],
    );
    const elsewhere = addresses.filter(address => !/\.(example|invalid|test)$/.test(address));
    expect(new Set(elsewhere)).toEqual(new Set(['https://discord.com']));
  });
});

function sources(): [string, string][] {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.ts'));
  return files.map(file => [file.replaceAll('\\', '/'), readFileSync(join(source, file), 'utf8')]);
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '');
}
