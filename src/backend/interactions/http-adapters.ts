import { TransportError } from '../../model/errors/errors.ts';
import type { Logger } from '../../wire/clock/ports.ts';
import { boundBody, collectBody, type SignedRequest } from './signed-request.ts';

/** The response to a request, independent of the HTTP server. */
export interface EndpointReply {
  readonly status: number;
  /** JSON. */
  readonly text?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Called when the response has been sent, or with the reason why it could not be. */
  readonly left?: ((error?: TransportError) => void) | undefined;
}

/** The part of a `node:http` request that is used, so that the package does not need Node's type declarations. */
export interface NodeRequest {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly readableDidRead: boolean;
  /** The bytes that a body parser or a platform for functions has read, and their place in Express' `raw()`. */
  readonly rawBody?: unknown;
  readonly body?: unknown;
  iterator(options: { readonly destroyOnReturn: boolean }): AsyncIterable<Uint8Array>;
  resume(): unknown;
}

/** The part of a `node:http` response that is used. */
export interface NodeResponse {
  readonly closed: boolean;
  readonly headersSent: boolean;
  readonly writableFinished: boolean;
  on(event: 'close', listener: () => void): unknown;
  writeHead(status: number, headers: Readonly<Record<string, string>>): unknown;
  end(text?: string): unknown;
  destroy(): unknown;
}

type Receive = (request: SignedRequest) => Promise<EndpointReply>;

/** Answers a request of `node:http`. Never rejects. */
export async function answerNode(
  receive: Receive,
  request: NodeRequest,
  response: NodeResponse,
  logger: Logger,
): Promise<void> {
  const { method = '', headers } = request;
  const header = (name: string) => {
    const value = headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  if (request.readableDidRead) {
    const kept = [request.rawBody, request.body].find(one => one instanceof Uint8Array);
    if (!kept) return writeNode(readBefore(logger), response);
    return writeNode(await receive({ method, header, body: boundBody(kept) }), response);
  }
  // The connection stays open if the body is too long, so that the response arrives.
  const chunks = request.iterator({ destroyOnReturn: false });
  const body = await collectBody(chunks).catch(() => 'broken off' as const);
  if (body === 'broken off') return void response.destroy();
  request.resume();
  await writeNode(await receive({ method, header, body }), response);
}

function writeNode({ status, text, headers, left }: EndpointReply, response: NodeResponse): Promise<void> {
  return new Promise(resolve => {
    const settle = () => {
      left?.(response.writableFinished ? undefined : brokenOff());
      resolve();
    };
    // The client may have disconnected while the handler ran, or other code may have answered.
    if (response.closed || response.headersSent) return settle();
    response.on('close', settle);
    response.writeHead(status, { ...headersOf(text), ...headers });
    response.end(text);
  });
}

/** Answers a web request. Never rejects. */
export async function answerFetch(receive: Receive, request: Request, logger: Logger): Promise<Response> {
  if (request.bodyUsed) return toResponse(readBefore(logger));
  const body = await collectBody(request.body ?? nothing()).catch(() => 'broken off' as const);
  if (body === 'broken off') return toResponse({ status: 400 });
  const header = (name: string) => request.headers.get(name) ?? undefined;
  return toResponse(await receive({ method: request.method, header, body }));
}

function toResponse({ status, text, headers, left }: EndpointReply): Response {
  left?.();
  return new Response(text ?? null, { status, headers: { ...headersOf(text), ...headers } });
}

function headersOf(text: string | undefined): Readonly<Record<string, string>> {
  return text === undefined ? {} : { 'content-type': 'application/json' };
}

/** The signature covers the bytes of the body, which are gone. */
function readBefore(logger: Logger): EndpointReply {
  logger.error(
    {},
    'the body of an interaction was read before the endpoint received it: remove the body parser from this route, or let it keep the bytes as rawBody',
  );
  return { status: 500 };
}

function brokenOff(): TransportError {
  return new TransportError('connection_lost', 'The service closed the connection before it received the answer.');
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** The part of a Fastify instance that {@link fastifyPlugin} uses. */
export interface FastifyInstance {
  removeAllContentTypeParsers(): void;
  addContentTypeParser(
    type: string,
    parser: (request: unknown, payload: unknown, done: (error: null, body?: unknown) => void) => void,
  ): unknown;
  all(path: string, handler: (request: { readonly raw: NodeRequest }, reply: FastifyReply) => Promise<void>): unknown;
}

interface FastifyReply {
  readonly raw: NodeResponse;
  hijack(): unknown;
}

/** Registers the endpoint in a scope of its own, in which Fastify leaves the body unread. */
export function fastifyPlugin(
  handleRequest: (request: NodeRequest, response: NodeResponse) => Promise<void>,
): (instance: FastifyInstance) => Promise<void> {
  return async instance => {
    instance.removeAllContentTypeParsers();
    instance.addContentTypeParser('*', (_request, _payload, done) => done(null));
    instance.all('/', async ({ raw }, reply) => {
      reply.hijack();
      await handleRequest(raw, reply.raw);
    });
  };
}
