import type { IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';
import { clearTimeout, setTimeout } from 'node:timers';
import type { GuildId, LobbyId } from '../../../model/snowflake.ts';
import type { OAuthStep, TrafficCallerView, TrafficDelivery } from '../../../wire/control/traffic.ts';
import { asRecord, parseJson } from '../../../wire/http/codec.ts';
import { type RouteName, routes } from '../../../wire/routes.ts';
import type { Topic } from '../../events/announcement.ts';
import { consoleLimits } from '../../support/service-limits.ts';
import type { ObservedRequest, TrafficCaller } from '../../support/traffic.ts';
import type { EntryDetails } from './ring.ts';

/** What entries of the traffic say about requests, events and deliveries. */

/** An exchange under way, which others may be caused by. */
export interface Exchange {
  readonly id: number;
  readonly cause: number | null;
  readonly atMs: number;
  readonly startMs: number;
  readonly request?: IncomingMessage | undefined;
  readonly requestId?: string | undefined;
  /** Whether it has announced anything. */
  hasEffects: boolean;
}

export const bodyMax = consoleLimits.trafficBodyBytesMax;

export const nobody = { application_id: null, user_id: null, lobby_id: null, guild_id: null } as const;
export const nobodyView = { application_id: null, user_id: null, username: null } as const;

/** Paths of the site that are not worth an entry. */
export const uninteresting = /^\/(?:console(?:\/|$)|favicon|attachments\/|healthz|readyz|metrics)/;

/** Routes of OAuth2, and their step in a flow. */
export const oauthSteps: Readonly<Partial<Record<RouteName, OAuthStep>>> = Object.fromEntries(
  Object.entries(routes).flatMap(([name, { path }]): [string, OAuthStep][] => {
    if (!path.startsWith('/oauth2') && !path.startsWith('/partner-sdk')) return [];
    if (/revoke/.test(path)) return [[name, 'revoke']];
    if (/device/.test(path)) return [[name, 'device_code']];
    if (/token/.test(path)) return [[name, 'token']];
    return [[name, /userinfo|@me/.test(path) ? 'user' : 'other']];
  }),
);

export function stepOfPage(path: string, method: string, redirectTo: string | null): OAuthStep | undefined {
  if (path === '/control/consent') return 'consent';
  if (/^\/(?:oauth2\/)?activate/.test(path)) return /sign-(?:in|out)$/.test(path) ? 'sign_in' : 'device';
  if (!path.startsWith('/oauth2/')) return undefined;
  if (/sign-(?:in|out)$/.test(path)) return 'sign_in';
  if (path !== '/oauth2/authorize') return 'other';
  return method === 'POST' || redirectTo !== null ? 'consent' : 'authorize';
}

export function place({ id, cause, atMs }: Exchange) {
  return { id, cause, at_ms: atMs };
}

export function httpFields(
  { request, requestId, startMs }: Exchange,
  route: RouteName | null,
  status: number,
  caller: TrafficCallerView | null,
) {
  return {
    ...{ method: request?.method ?? '', route, status, caller, request_id: requestId ?? null },
    duration_ms: rounded(performance.now() - startMs),
  };
}

export function rounded(ms: number): number {
  return Math.round(ms * 100) / 100;
}

export function viewOf(caller: TrafficCaller | undefined): TrafficCallerView | null {
  if (!caller) return null;
  const { kind, applicationId = null, userId = null, username = null } = caller;
  return { kind, application_id: applicationId, user_id: userId, username };
}

/** The id at the beginning of an answer that shows a lobby. */
const answeredId = /^\{"id":"(\d+)"/;

export function aboutRequest({ route, params, caller, answer, status }: ObservedRequest) {
  const isNewLobby = status < 300 && (route === 'createLobby' || route === 'joinLobby');
  return {
    application_id: caller?.applicationId ?? params.application_id ?? null,
    user_id: caller?.userId ?? params.user_id ?? null,
    lobby_id: params.lobby_id ?? (isNewLobby ? (answeredId.exec(answer ?? '')?.[1] ?? null) : null),
    guild_id: params.guild_id ?? null,
  };
}

export function aboutTopic(topic: Topic, scope: string) {
  const [kind = '', first = null, second = null] = topic.split('/');
  const [scopeKind, scopeId = null] = scope.split('/');
  const ofApplication = kind === 'application' || kind === 'player' || kind === 'commands';
  return {
    application_id: ofApplication ? first : null,
    user_id: kind === 'user' ? first : kind === 'player' ? second : null,
    lobby_id: (kind === 'lobby' ? first : scopeKind === 'lobby' ? scopeId : null) as LobbyId | null,
    guild_id: (kind === 'guild' ? first : kind === 'commands' ? second : null) as GuildId | null,
  };
}

export function aboutDelivery(document: Readonly<Record<string, unknown>> | undefined) {
  const member = asRecord(asRecord(document?.member)?.user);
  const user = asRecord(document?.user) ?? member ?? asRecord(asRecord(asRecord(document?.event)?.data)?.user);
  return {
    ...nobody,
    application_id: textOf(document?.application_id),
    user_id: textOf(user?.id),
    guild_id: textOf(document?.guild_id),
    lobby_id: textOf(asRecord(asRecord(document?.event)?.data)?.lobby_id),
  };
}

const interactionEvents: Readonly<Record<number, string>> = {
  1: 'PING',
  2: 'APPLICATION_COMMAND',
  3: 'MESSAGE_COMPONENT',
  4: 'APPLICATION_COMMAND_AUTOCOMPLETE',
  5: 'MODAL_SUBMIT',
};

export function deliveryOf(
  document: Readonly<Record<string, unknown>> | undefined,
): Pick<TrafficDelivery, 'delivery' | 'event'> {
  const event = asRecord(document?.event);
  if (event) return { delivery: 'webhook_event', event: textOf(event.type) };
  if (document === undefined || typeof document.type !== 'number')
    return { delivery: 'identity_provider', event: null };
  if (document.token !== undefined) return { delivery: 'interaction', event: interactionEvents[document.type] ?? null };
  return { delivery: 'endpoint_probe', event: 'PING' };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** The code and the message of an error. */
export function errorOf(status: number, answer: string | undefined) {
  const error =
    status >= 400 && answer !== undefined && answer.length <= bodyMax ? asRecord(parseJson(answer)) : undefined;
  const { code, error: oauthError, message, error_description } = error ?? {};
  const known = code ?? oauthError;
  return {
    error_code: typeof known === 'number' || typeof known === 'string' ? known : null,
    error: textOf(message) ?? textOf(error_description),
  };
}

/** Headers of a request that are worth showing; none of them is a credential. */
const shownHeaders =
  /^(?:accept|accept-language|content-(?:type|length)|host|origin|referer|user-agent|x-(?:discord|service|super|audit|forwarded).*|idempotency-key)$/;

export function headersOf(request: IncomingMessage | undefined): Readonly<Record<string, string>> {
  const shown: Record<string, string> = {};
  if (!request) return shown;
  for (const [name, value] of Object.entries(request.headers)) {
    if (shownHeaders.test(name)) shown[name] = String(value);
  }
  return shown;
}

/** A form's files are replaced by what they are, so that their content is not kept. */
export function withoutFiles(value: unknown): unknown {
  if (value instanceof Uint8Array) return `(${value.byteLength} bytes)`;
  if (Array.isArray(value)) return value.some(holdsBytes) ? value.map(withoutFiles) : value;
  const record = asRecord(value);
  if (!record || !Object.values(record).some(part => holdsBytes(part) || Array.isArray(part))) return value;
  return Object.fromEntries(Object.entries(record).map(([name, part]) => [name, withoutFiles(part)]));
}

function holdsBytes(value: unknown): boolean {
  if (value instanceof Uint8Array) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(part => part instanceof Uint8Array);
}

/**
 * What a server outside answered, read from a copy while others read the original; only small texts. The server may announce one length
 * and send another, compressed or slowly.
 */
export async function answerOf(response: Response): Promise<string | undefined> {
  const type = response.headers.get('content-type') ?? '';
  const length = Number(response.headers.get('content-length') ?? Number.POSITIVE_INFINITY);
  if (!/json|text/.test(type) || length > answerBytesMax || typeof response.clone !== 'function') return undefined;
  const reader = response.clone().body?.getReader();
  if (!reader) return undefined;
  const tooLate = setTimeout(() => void reader.cancel().catch(ignore), answerMs).unref();
  try {
    const pieces: Uint8Array[] = [];
    let size = 0;
    for (let next = await reader.read(); next.value; next = await reader.read()) {
      size += next.value.length;
      if (size > answerBytesMax) return undefined;
      pieces.push(next.value);
    }
    return Buffer.concat(pieces).toString();
  } finally {
    clearTimeout(tooLate);
    reader.cancel().catch(ignore);
  }
}

const ignore = () => {};

/** How long the rest of an answer may take, where nobody else waits for it. */
const answerMs = 1000;
export const answerBytesMax = 16 * 1024;

export function reasonOf(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : { message: String(error), cause: undefined };
  const code = asRecord(cause)?.code ?? asRecord(error)?.code;
  return typeof code === 'string' ? `${message} (${code})` : message;
}

export function keptText(data: string): EntryDetails {
  return data.length > bodyMax ? { isCut: true } : { data };
}

/** Undefined without a value, and if its text is too long to be kept. */
export function shortText(value: unknown): string | undefined {
  const text = JSON.stringify(value) as string | undefined;
  return text !== undefined && text.length <= bodyMax ? text : undefined;
}

/** How long the texts in a value are, together with those in the lists and objects in it. */
export function textLengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let length = 0;
  for (const name in value) length += name.length + textLengthOf((value as Readonly<Record<string, unknown>>)[name]);
  return length;
}
