import { createHash } from 'node:crypto';
import type { ServiceAddresses } from '../../../src/service/index.ts';
import { starfall } from './starfall.ts';

/** A token of the user's own client, as the control API hands it out. */
export async function sessionToken(service: ServiceAddresses, userId: string): Promise<string> {
  const { token } = await control<{ token: string }>(service, `/users/${userId}/session`);
  return token;
}

const redirect = starfall.applications[0].redirect_uris[0];
const verifier = 'v'.repeat(64);

/** An access token by which Starfall acts for the user: consent, code and PKCE, as a game would do it. */
export async function playerToken(
  service: ServiceAddresses,
  userId: string,
  scope = 'sdk.social_layer',
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  return (await playerTokens(service, userId, scope, more)).access_token;
}

/** As {@link playerToken}, with the token that renews it. @param exchange more for the exchange of the code */
export async function playerTokens(
  service: ServiceAddresses,
  userId: string,
  scope = 'sdk.social_layer',
  more: Readonly<Record<string, string>> = {},
  exchange: Readonly<Record<string, string>> = {},
): Promise<{ access_token: string; refresh_token: string }> {
  const client = starfall.applications[0].id;
  const authorize = new URL(`${service.webBase}/oauth2/authorize`);
  authorize.search = new URLSearchParams({
    response_type: 'code',
    client_id: client,
    redirect_uri: redirect,
    scope,
    state: 'state',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...more,
  }).toString();
  const decision = { authorize_url: authorize.href, user_id: userId, decision: 'approve' };
  const { redirect_to } = await control<{ redirect_to: string }>(service, '/consent', decision);
  const code = new URL(redirect_to).searchParams.get('code') ?? '';
  const answer = await fetch(`${service.apiBase}/v10/oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: client,
      redirect_uri: redirect,
      code,
      code_verifier: verifier,
      ...exchange,
    }),
  });
  return (await answer.json()) as { access_token: string; refresh_token: string };
}

/** A new pair in the place of the one whose refresh token this is. */
export async function refreshTokens(
  service: ServiceAddresses,
  refresh_token: string,
): Promise<{ access_token: string; refresh_token: string }> {
  const form = { grant_type: 'refresh_token', client_id: starfall.applications[0].id, refresh_token };
  const body = new URLSearchParams(form);
  const answer = await fetch(`${service.apiBase}/v10/oauth2/token`, { method: 'POST', body });
  return (await answer.json()) as { access_token: string; refresh_token: string };
}

/** An access token by which Starfall acts for itself. */
export async function clientToken(service: ServiceAddresses, scope: string): Promise<string> {
  const { id, client_secret } = starfall.applications[0];
  const answer = await fetch(`${service.apiBase}/v10/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${id}:${client_secret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope }),
  });
  const { access_token } = (await answer.json()) as { access_token: string };
  return access_token;
}

async function control<T>(service: ServiceAddresses, path: string, body?: unknown): Promise<T> {
  const answer = await fetch(service.controlBase + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.controlToken}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`control ${path} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as T;
}
