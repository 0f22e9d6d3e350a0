import { TransportError } from '../../model/errors/errors.ts';
import type { Logger } from '../../wire/clock/ports.ts';
import { collectBody, type SignedRequest } from './signed-request.ts';

/** How a request is answered, whatever server took it. */
export interface EndpointReply {
  readonly status: number;
  /** JSON. */
  readonly text?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Is told once the response has left, or why it could not. */
  readonly left?: ((error?: TransportError) => void) | undefined;
}

/** The part of a request of `node:http` that is read: its declarations are not needed to use this package. */
export interface NodeRequest {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly readableDidRead: boolean;
  iterator(options: { readonly destroyOnReturn: boolean }): AsyncIterable<Uint8Array>;
  resume(): unknown;
}

/** The part of a response of `node:http` that is used. */
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
  if (request.readableDidRead) return writeNode(readBefore(logger), response);
  // Kept open when it is too long, so that the answer gets through.
  const chunks = request.iterator({ destroyOnReturn: false });
  const body = await collectBody(chunks).catch(() => 'broken off' as const);
  if (body === 'broken off') return void response.destroy();
  request.resume();
  const header = (name: string) => {
    const value = headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  await writeNode(await receive({ method, header, body }), response);
}

function writeNode({ status, text, headers, left }: EndpointReply, response: NodeResponse): Promise<void> {
  return new Promise(resolve => {
    const settle = () => {
      left?.(response.writableFinished ? undefined : brokenOff());
      resolve();
    };
    // Whoever asked may have gone while the handler worked, or somebody else have answered.
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

/** A signature is of bytes, and these are gone. */
function readBefore(logger: Logger): EndpointReply {
  logger.error(
    {},
    'the body of an interaction was read before the endpoint got it: let no body parser stand before it',
  );
  return { status: 500 };
}

function brokenOff(): TransportError {
  return new TransportError('connection_lost', 'The service closed the connection before it had the answer.');
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
