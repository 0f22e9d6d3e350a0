import type { TrafficCallerView, TrafficDetails, TrafficMessage } from '../../../../wire/control/traffic.ts';

/** Headers that curl or the connection sets by itself. */
const ownHeaders = new Set([
  ...[
    'host',
    'connection',
    'content-length',
    'transfer-encoding',
    'accept-encoding',
    'authorization',
    'cookie',
    'origin',
  ],
  ...['user-agent', 'accept', 'keep-alive', 'priority', 'upgrade-insecure-requests'],
]);

/** The call as a command line for a POSIX shell. The credential is masked in the traffic: a variable stands in its place. */
export function curlOf(details: TrafficDetails, origin: string): string {
  const { entry, request } = details;
  if (entry.kind !== 'request' && entry.kind !== 'oauth') return '';
  const headers = Object.entries(request?.headers ?? {}).filter(([name]) => !isOwn(name));
  const body = bodyText(request);
  return [
    `curl -X ${quote(entry.method)} ${quote(`${origin}${entry.target}`)}`,
    ...(entry.caller ? [`-H "authorization: ${credentialOf(entry.caller)}"`] : []),
    ...headers.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data-raw ${quote(body)}`]),
  ].join(' \\\n  ');
}

/** What is sent as `Authorization`, with a variable of the shell for the token. */
export function credentialOf({ kind }: Pick<TrafficCallerView, 'kind'>): string {
  if (kind === 'bot') return 'Bot $BOT_TOKEN';
  return kind === 'control' ? 'Bearer $CONTROL_TOKEN' : kind === 'session' ? '$SESSION_TOKEN' : 'Bearer $ACCESS_TOKEN';
}

function isOwn(name: string): boolean {
  return ownHeaders.has(name) || name.startsWith('sec-');
}

/** The body as it is sent: forms as forms, anything else as JSON. */
function bodyText(request: TrafficMessage | null): string | undefined {
  const body = request?.body;
  if (body === null || body === undefined) return undefined;
  if (typeof body === 'string') return body;
  if (request?.headers['content-type']?.includes('x-www-form-urlencoded')) {
    return new URLSearchParams(Object.entries(body).map(([name, value]) => [name, String(value)])).toString();
  }
  return JSON.stringify(body);
}

/** In single quotes nothing means anything to a shell but the quote itself. */
function quote(text: string): string {
  return /^[\w./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
