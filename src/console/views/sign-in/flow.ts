import type { IntegrationType } from '../../../model/command.ts';
import { type OAuthError, ValidationError } from '../../../model/errors/errors.ts';
import type { Issue } from '../../../model/errors/issue.ts';
import { loopbackRedirect } from '../../../model/oauth.ts';
import type { CallAnswer } from '../../../wire/control/act.ts';
import {
  type AuthorizationArgsFields,
  checkAuthorizationArgs,
  codeChallengeRequired,
} from '../../../wire/oauth/authorization-fields.ts';
import { authorizeUrl, customSchemeRedirect } from '../../../wire/oauth/authorize-url.ts';
import { oauthError } from '../../../wire/oauth/oauth-error.ts';
import { readRedirect } from '../../../wire/oauth/read-redirect.ts';
import { control } from '../../control/client.ts';
import { challengeOf, randomText } from './crypto.ts';

/** What a walk begins with: the arguments, and what only the game knows. */
export interface FlowArgs {
  readonly clientId: string;
  readonly scopes: string;
  readonly state: string;
  /** Empty: none. */
  readonly nonce: string;
  readonly verifier: string;
  /** Of the verifier; empty: no PKCE. */
  readonly challenge: string;
  readonly challengeMethod: string;
  readonly integrationType: IntegrationType | undefined;
  readonly way: 'loopback' | 'custom-scheme' | 'other';
  /** Of a custom scheme. */
  readonly scheme: string;
  /** For `other`: any address. */
  readonly redirectUri: string;
}

/** The port of the loopback redirect; the service accepts any, and nothing needs to listen there for the console. */
export const loopbackPort = 53682;

export async function newFlowArgs(clientId: string, scopes: string, scheme: string): Promise<FlowArgs> {
  const verifier = randomText();
  return {
    clientId,
    scopes,
    state: randomText(),
    nonce: randomText(),
    verifier,
    challenge: await challengeOf(verifier),
    challengeMethod: 'S256',
    integrationType: undefined,
    way: 'loopback',
    scheme,
    redirectUri: '',
  };
}

export function redirectUriOf({ way, scheme, redirectUri }: Pick<FlowArgs, 'way' | 'scheme' | 'redirectUri'>): string {
  if (way === 'custom-scheme') return customSchemeRedirect(scheme);
  return way === 'loopback' ? `http://${loopbackRedirect.host}:${loopbackPort}${loopbackRedirect.path}` : redirectUri;
}

/** The arguments as the SDK has them. */
export function fieldsOf(args: FlowArgs): AuthorizationArgsFields {
  const { clientId, scopes, state, nonce, challenge, challengeMethod, integrationType, way, scheme } = args;
  return {
    clientId,
    scopes,
    state,
    ...(nonce !== '' && { nonce }),
    ...(challenge !== '' && { codeChallenge: { method: challengeMethod as 'S256', challenge } }),
    ...(integrationType !== undefined && { integrationType }),
    ...(way === 'custom-scheme' && { customSchemeParam: scheme }),
  };
}

/** What `AuthorizationArgs.check()` and `authorize()` find. */
export function checkArgs(args: FlowArgs): readonly Issue[] {
  return checkAuthorizationArgs(fieldsOf(args));
}

export function addressOf(args: FlowArgs, baseUrl: string): string {
  const { codeChallenge, nonce, integrationType } = fieldsOf(args);
  const { clientId, scopes, state, challengeMethod } = args;
  const url = authorizeUrl(
    { scopes, nonce, codeChallenge, integrationType },
    { baseUrl, clientId, redirectUri: redirectUriOf(args), state },
  );
  // The SDK knows one method; a walk may try another.
  return url.replace('code_challenge_method=S256', `code_challenge_method=${encodeURIComponent(challengeMethod)}`);
}

/** The same in the SDK's words. */
export function codeOf(args: FlowArgs): string {
  const text = (value: string) => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const { clientId, scopes, nonce, integrationType, way, scheme, challenge } = args;
  return [
    ...(challenge === '' ? [] : ['const { challenge, verifier } = client.createAuthorizationCodeVerifier();']),
    'const args = new AuthorizationArgs()',
    `  .setClientId(${text(clientId)})`,
    `  .setScopes(${text(scopes)})`,
    ...(nonce === '' ? [] : [`  .setNonce(${text(nonce)})`]),
    ...(integrationType === undefined ? [] : [`  .setIntegrationType(${integrationType})`]),
    ...(way === 'custom-scheme' ? [`  .setCustomSchemeParam(${text(scheme)})`] : []),
    ...(challenge === '' ? [] : ['  .setCodeChallenge(challenge)']),
  ]
    .join('\n')
    .concat(
      ';\nconst grant = await client.authorize(args);\nconst tokens = await client.getToken({ ...grant, verifier });',
    );
}

/** The answer of the consent page. @throws ControlError with what the page would have shown */
export async function decide(
  authorizeUrl: string,
  userId: string,
  decision: 'approve' | 'deny',
  guildId?: string,
): Promise<string> {
  const { redirect_to } = await control.post<{ redirect_to: string }>('/consent', {
    authorize_url: authorizeUrl,
    user_id: userId,
    decision,
    ...(guildId && { guild_id: guildId }),
  });
  return redirect_to;
}

/** A request of OAuth2 with its answer. */
export interface Exchange {
  readonly method: 'POST' | 'GET';
  readonly path: string;
  readonly form: Readonly<Record<string, string>>;
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Sends a form as a game does: without a credential but what the form has. */
export async function sendForm(path: string, form: Readonly<Record<string, string>>): Promise<Exchange> {
  const call = { as: { kind: 'none' }, method: 'POST', path, form } as const;
  const { status, body } = await control.post<CallAnswer>('/call', call);
  return { method: 'POST', path, form, status, body: (body ?? {}) as Readonly<Record<string, unknown>> };
}

/** @param secret of a confidential client; empty: none */
export function exchangeCode(args: FlowArgs, code: string, verifier: string, secret = ''): Promise<Exchange> {
  return sendForm('/oauth2/token', {
    grant_type: 'authorization_code',
    client_id: args.clientId,
    ...(secret !== '' && { client_secret: secret }),
    code,
    redirect_uri: redirectUriOf(args),
    ...(verifier !== '' && { code_verifier: verifier }),
  });
}

/** What the SDK makes of something that it receives. */
export interface Verdict {
  readonly tone: 'good' | 'warn' | 'fault';
  /** `OAuthError access_denied`: what the caller gets. */
  readonly outcome: string;
  readonly message: string;
  /** The code, by which the advice is found. */
  readonly code?: string;
}

/** What `authorize()` makes of an address that came back. */
export function verdictOnRedirect(
  address: string,
  args: FlowArgs,
  issuer: string,
): Verdict & { readonly authorizationCode?: string } {
  const expected = { redirectUri: redirectUriOf(args), state: args.state, issuer };
  // Nothing is measured here, so texts are simply compared.
  const result = readRedirect(address, expected, (a, b) => a === b);
  if (result.kind === 'foreign') {
    return {
      tone: 'warn',
      outcome: 'ignored',
      code: 'foreign',
      message:
        'The address belongs to no authorization that this game has begun: the sign-in keeps waiting for the right one.',
    };
  }
  if (result.kind === 'rejected') return verdictOnError(result.error);
  return {
    tone: 'good',
    outcome: 'authorize() resolves',
    message: 'The state and the issuer are the expected ones. The grant has the code.',
    authorizationCode: result.code,
  };
}

/** What `getToken()` makes of an answer of the token endpoint. */
export function verdictOnTokens({ status, body }: Exchange): Verdict {
  if (status < 400) return { tone: 'good', outcome: 'getToken() resolves', message: 'The answer has the tokens.' };
  const { error, error_description, message } = body;
  if (typeof error === 'string') return verdictOnError(oauthError(error, textOrNull(error_description)));
  return { tone: 'fault', outcome: `ApiError ${status}`, message: textOrNull(message) ?? '' };
}

/** What `authorize()` makes of its arguments: it rejects before a page is opened. */
export function verdictOnArgs(args: FlowArgs): Verdict | undefined {
  const issues = [...checkArgs(args)];
  if (args.way === 'custom-scheme' && args.challenge === '') issues.push(codeChallengeRequired());
  if (issues.length === 0) return undefined;
  const { code, message } = new ValidationError('AuthorizationArgs', issues);
  return { tone: 'fault', outcome: `ValidationError ${code}`, code, message };
}

function verdictOnError(error: OAuthError): Verdict {
  return { tone: 'fault', outcome: `OAuthError ${error.code}`, code: error.code, message: error.message };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** The parts of a redirect, for people. */
export function partsOf(address: string): {
  readonly base: string;
  readonly parameters: readonly (readonly [string, string])[];
} {
  const [base = '', query = ''] = address.split(/[?#](.*)/s);
  return { base, parameters: [...new URLSearchParams(query)] };
}
