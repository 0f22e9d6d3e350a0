import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { expandScopes, isScope } from '../../model/oauth.ts';
import type { ApplicationId } from '../../model/snowflake.ts';
import type { ActAs, CallAnswer, CallBody, CallFile, SessionBody } from '../../wire/control/act.ts';
import { parseJson } from '../../wire/http/codec.ts';
import type { Principal } from '../auth/principal.ts';
import type { Core } from '../core.ts';
import { requireNotBanned } from '../features/accounts/full-account.ts';
import {
  authorizationScope,
  findAuthorization,
  recordGrant,
} from '../features/oauth/authorize/authorization-records.ts';
import { createSecret, issueAccess } from '../features/oauth/token/tokens.ts';
import { apiPrefix } from '../http/router.ts';
import type { TokenRecord, UserRecord } from '../store/records.ts';
import {
  type Check,
  id,
  isPlainObject,
  issue,
  list,
  object,
  oneOf,
  text,
  textThat,
} from '../support/document-check.ts';
import { hashSecret } from '../support/secret.ts';
import { serviceLimits } from '../support/service-limits.ts';
import type { ControlDeps } from './deps.ts';
import { type ControlCall, ControlRefusal, call, notThere, read } from './request.ts';

/** Calls that act as somebody. */
export function actingCalls(deps: ControlDeps): readonly ControlCall[] {
  // Base64 is a third longer than what it stands for.
  const bytesMax = Math.ceil(serviceLimits.formBodyBytesMax * 1.4);
  return [call('POST /call', ({ body }) => callAs(deps, read<CallBody>(body, callBody)), bytesMax)];
}

const scopesMax = 50;
const scopes = list(textThat(isScope, 'one of the OAuth2 scopes'), scopesMax);
const kinds: Readonly<Record<ActAs['kind'], Check>> = {
  bot: object({ kind: () => {}, application_id: id }, ['application_id']),
  application: object({ kind: () => {}, application_id: id, scopes }, ['application_id']),
  user: object({ kind: () => {}, application_id: id, user_id: id, scopes }, ['application_id', 'user_id']),
  session: object({ kind: () => {}, user_id: id }, ['user_id']),
  none: object({ kind: () => {} }),
};
const as: Check = (value, path, issues) => {
  const kind = isPlainObject(value) ? String(value.kind) : '';
  if (!Object.hasOwn(kinds, kind)) issues.push(issue('not_a_choice', [...path, 'kind'], Object.keys(kinds)));
  else kinds[kind as ActAs['kind']](value, path, issues);
};
const file = object(
  {
    name: text(1, 100),
    filename: text(1, 1024),
    content_type: textThat(value => /^[\w.+-]+\/[\w.+-]+(;[ \w=.+-]*)?$/.test(value), 'a media type'),
    content: textThat(value => /^[A-Za-z0-9+/]*={0,2}$/.test(value), 'base64'),
  },
  ['filename', 'content'],
);
const form: Check = (value, path, issues) => {
  const isForm = isPlainObject(value) && Object.values(value).every(field => typeof field === 'string');
  if (!isForm) issues.push(issue('wrong_type', path, 'an object with texts'));
};
const pathLengthMax = 8192;
const callBody = object(
  {
    as,
    method: oneOf(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
    path: textThat(
      value => value.length <= pathLengthMax && /^\/[\x21-\x7e]*$/.test(value),
      'a path below /api/v10 that begins with a slash, with other characters percent-encoded',
    ),
    body: () => {},
    form,
    files: list(file, 20),
    locale: textThat(value => /^[\w-]{1,16}$/.test(value), 'a locale'),
  },
  ['as', 'method', 'path'],
);

/** Makes the call over HTTP, so that it is checked, limited and recorded like every other. */
export async function callAs(deps: ControlDeps, asked: CallBody): Promise<CallAnswer> {
  const { core, acting, askSelf } = deps;
  if (!acting) throw new ControlRefusal(409, 'The console of this service is off; start it with --console.');
  core.activity?.record({ isRead: true });
  const resolve = await resolverOf(core, asked.as);
  const issued = resolve && acting.issue(resolve);
  try {
    const { content, type } = contentOf(asked);
    const answer = await askSelf({
      method: asked.method,
      path: apiPrefix + asked.path,
      headers: {
        ...(issued && { authorization: schemes[asked.as.kind] + issued.token }),
        ...(type !== undefined && { 'content-type': type }),
        ...(asked.locale !== undefined && { 'x-discord-locale': asked.locale }),
      },
      content,
    });
    return {
      status: answer.status,
      headers: plain(answer.headers),
      body: answer.text === '' ? null : (parseJson(answer.text) ?? answer.text),
      traffic_id: trafficIdOf(core, answer.headers['x-request-id']),
    };
  } finally {
    issued?.end();
  }
}

const schemes: Readonly<Record<ActAs['kind'], string>> = {
  bot: 'Bot ',
  application: 'Bearer ',
  user: 'Bearer ',
  session: '',
  none: '',
};

/** Who acts, as of each time the credential is looked at. @throws ControlRefusal if there is nobody like that */
async function resolverOf(core: Core, actor: ActAs): Promise<(() => Promise<Principal | undefined>) | undefined> {
  if (actor.kind === 'none') return undefined;
  const { store } = core;
  if ('application_id' in actor && !(await store.get('applications', actor.application_id))) {
    throw notThere('application', actor.application_id);
  }
  if ('user_id' in actor && !(await store.get('users', actor.user_id))) throw notThere('user', actor.user_id);
  switch (actor.kind) {
    case 'bot':
      return async () => {
        const application = await store.get('applications', actor.application_id);
        return application && { kind: 'bot', application };
      };
    case 'application':
      return () => applicationPrincipal(core, actor);
    case 'user':
      return () => userPrincipal(core, actor);
    case 'session':
      return async () => {
        const user = await store.get('users', actor.user_id);
        return user && !user.banned
          ? { kind: 'session', user, token: tokenFor('session', null, user.id, []) }
          : undefined;
      };
  }
}

/** What client credentials may have. */
const applicationScopes = ['applications.commands.update', 'identify'];
/** What games use. */
const gameScopes = ['sdk.social_layer', 'identify', 'openid', 'applications.commands.permissions.update'];

type As<Kind extends ActAs['kind']> = Extract<ActAs, { kind: Kind }>;

async function applicationPrincipal({ store }: Core, actor: As<'application'>): Promise<Principal | undefined> {
  const application = await store.get('applications', actor.application_id);
  const granted = actor.scopes ?? applicationScopes;
  const token = tokenFor('application', actor.application_id, null, granted);
  return application && { kind: 'application', application, token, scopes: expandScopes(granted) };
}

async function userPrincipal({ store }: Core, actor: As<'user'>): Promise<Principal | undefined> {
  const { application_id, user_id } = actor;
  const application = await store.get('applications', application_id);
  const user = await store.get('users', user_id);
  if (!application || !user || user.banned) return undefined;
  const known = await findAuthorization(store, { application_id, user_id });
  const granted = actor.scopes ?? known?.scopes ?? gameScopes;
  const authorization = known ?? { id: '0', application_id, user_id, scopes: granted };
  const token = { ...tokenFor('access', application_id, user_id, granted), authorization_id: authorization.id };
  return { kind: 'user', application, user, authorization, token, scopes: expandScopes(granted) };
}

function tokenFor(
  kind: TokenRecord['kind'],
  application_id: string | null,
  user_id: string | null,
  granted: readonly string[],
): TokenRecord {
  const grants = { authorization_id: null, grant_id: null, application_id, user_id };
  return { hash: '', kind, ...grants, scopes: granted, expires_at_ms: null };
}

/** An access token of a game in which the user is signed in, as after a real sign-in. */
export async function signInToGame(core: Core, userId: string, body: unknown): Promise<{ token: string }> {
  const { application_id, scopes: asked = gameScopes } = read<SessionBody>(body, sessionBody);
  if (!(await core.store.get('applications', application_id))) throw notThere('application', application_id);
  const parties = { application_id, user_id: userId };
  return core.store.transact(authorizationScope(parties), async transaction => {
    const user = await transaction.get('users', userId);
    if (!user) throw notThere('user', userId);
    requireNotBanned(user);
    requireGameOf(user, application_id);
    const authorization = await recordGrant(transaction, parties, asked, core.ids.next());
    const grantId = hashSecret(createSecret(core));
    const { access_token } = await issueAccess(core, transaction, { authorization, grantId, scopes: asked });
    return { token: access_token };
  });
}

/** @throws ControlRefusal for a provisional account in another game than its own */
function requireGameOf({ id, provisional_of }: UserRecord, applicationId: ApplicationId): void {
  if (provisional_of === null || provisional_of === applicationId) return;
  throw new ControlRefusal(
    409,
    `The user ${id} is a provisional account of the application ${provisional_of} and cannot sign in to another.`,
  );
}

const sessionBody = object({ application_id: id, scopes }, ['application_id']);

function contentOf({ body, form, files = [] }: CallBody): { content: Buffer | undefined; type?: string } {
  if (files.length > 0) return multipart(body, files);
  if (form !== undefined) {
    const content = Buffer.from(new URLSearchParams(form).toString());
    return { content, type: 'application/x-www-form-urlencoded' };
  }
  if (body === undefined) return { content: undefined };
  return { content: Buffer.from(JSON.stringify(body)), type: 'application/json' };
}

/** @see RFC 7578 */
function multipart(body: unknown, files: readonly CallFile[]): { content: Buffer; type: string } {
  const boundary = `rallypoint-${randomUUID()}`;
  const parts: Buffer[] = [];
  const add = (head: string, content: Buffer) => {
    parts.push(Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`), content, Buffer.from('\r\n'));
  };
  if (body !== undefined) {
    const head = 'Content-Disposition: form-data; name="payload_json"\r\nContent-Type: application/json';
    add(head, Buffer.from(JSON.stringify(body)));
  }
  for (const [at, { name = `files[${at}]`, filename, content_type, content }] of files.entries()) {
    const quoted = [name, filename].map(one => one.replace(/[\r\n"]/g, encodeURIComponent));
    add(
      `Content-Disposition: form-data; name="${quoted[0]}"; filename="${quoted[1]}"\r\n` +
        `Content-Type: ${content_type ?? 'application/octet-stream'}`,
      Buffer.from(content, 'base64'),
    );
  }
  parts.push(Buffer.from(`--${boundary}--\r\n`));
  return { content: Buffer.concat(parts), type: `multipart/form-data; boundary=${boundary}` };
}

function plain(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

/** The entry of the call is among the newest. */
function trafficIdOf({ activity }: Core, requestId: string | string[] | undefined): number | null {
  if (!activity || typeof requestId !== 'string') return null;
  for (let number = activity.kept.last; number >= activity.kept.first; number--) {
    const entry = activity.kept.at(number)?.entry;
    if (entry && 'request_id' in entry && entry.request_id === requestId) return entry.id;
  }
  return null;
}
