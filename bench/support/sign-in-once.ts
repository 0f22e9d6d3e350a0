import { createHash, randomBytes } from 'node:crypto';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Signs one player in and prints the milliseconds from the redirect to the tokens. The player takes a second to consent. */
interface Options {
  readonly side: 'ours' | 'bare';
  readonly baseUrl: string;
  readonly controlBase: string;
  readonly controlToken: string;
}

const { side, baseUrl, controlBase, controlToken } = JSON.parse(process.argv[2] ?? '') as Options;
const consentMs = 1_000;

/** What the player's browser is sent to, once they have consented. */
async function consent(authorizeUrl: string): Promise<string> {
  const body = JSON.stringify({ authorize_url: authorizeUrl, user_id: '1', decision: 'approve' });
  const headers = { authorization: `Bearer ${controlToken}`, 'content-type': 'application/json' };
  const answer = await fetch(`${controlBase}/consent`, { method: 'POST', headers, body });
  const { redirect_to } = (await answer.json()) as { redirect_to: string };
  await new Promise(resolve => setTimeout(resolve, consentMs));
  return redirect_to;
}

let redirectedAt = Number.NaN;
function follow(address: string): void {
  redirectedAt = performance.now();
  request(address, answer => answer.resume()).end();
}

async function ours(): Promise<unknown> {
  const { AuthorizationArgs, Client } = await import('@rallypoint/sdk');
  const openBrowser = async (address: string) => void consent(address).then(follow);
  const client = new Client({ applicationId: '100', baseUrl, openBrowser });
  const { challenge, verifier } = client.createAuthorizationCodeVerifier();
  const args = new AuthorizationArgs().setScopes('identify').setCodeChallenge(challenge);
  return client.getToken({ ...(await client.authorize(args)), verifier });
}

async function bare(): Promise<unknown> {
  const verifier = randomBytes(32).toString('base64url');
  const arrived = Promise.withResolvers<string>();
  const server = createServer((incoming, answer) => {
    answer.end('You can go back to the game.');
    arrived.resolve(new URL(incoming.url ?? '', 'http://127.0.0.1').searchParams.get('code') ?? '');
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
  const query = new URLSearchParams({
    client_id: '100',
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'identify',
    state: '1',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  void consent(`${baseUrl}/oauth2/authorize?${query}`).then(follow);
  return exchange({ code: await arrived.promise, code_verifier: verifier, redirect_uri: redirectUri });
}

function exchange(grant: Readonly<Record<string, string>>): Promise<unknown> {
  const body = new URLSearchParams({ grant_type: 'authorization_code', client_id: '100', ...grant }).toString();
  return new Promise(resolve => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const asked = request(`${baseUrl}/api/v10/oauth2/token`, { method: 'POST', headers }, async answer => {
      let text = '';
      for await (const chunk of answer) text += chunk;
      resolve(JSON.parse(text));
    });
    asked.end(body);
  });
}

await (side === 'ours' ? ours() : bare());
console.log(performance.now() - redirectedAt);
process.exit();
