import { ArgumentError } from '../../model/errors/errors.ts';
import { callbackTypes, type Interaction, interactionTypes } from '../../model/interaction.ts';
import { requireNumber } from '../../wire/arguments.ts';
import type { Clock, Logger } from '../../wire/clock/ports.ts';
import { parseJson } from '../../wire/http/codec.ts';
import { isVerifyKey } from '../../wire/signature.ts';
import { readVerifyKey } from '../answers.ts';
import type { Credentials } from '../credentials.ts';
import type { ComponentCollectors } from './component-collectors.ts';
import {
  answerFetch,
  answerNode,
  type EndpointReply,
  type FastifyInstance,
  fastifyPlugin,
  type NodeRequest,
  type NodeResponse,
} from './http-adapters.ts';
import { InlineAnswer, type InlineMeans } from './inline-answer.ts';
import {
  asComponentUse,
  type ComponentUse,
  createReceivedInteraction,
  type ReceivedInteraction,
  readInteraction,
} from './received-interaction.ts';
import { type InteractionHandler, runHandler } from './run-handler.ts';
import { endpointLimits, isGenuine, ReceivedRequests, type SignedRequest, type Trust } from './signed-request.ts';

export interface EndpointOptions {
  /** The application's public key, 64 hexadecimal digits. Default: the backend requests it with the bot token. */
  readonly publicKey?: string | undefined;
  /**
   * How far the time of a request may be from this machine's before it is refused as a repetition; within that time each is taken
   * once by this process. Default
   * five minutes; `Infinity` for a service with a virtual clock.
   */
  readonly timestampDriftMs?: number | undefined;
  /** Called with what a handler threw. Default: the error is logged. */
  readonly onError?: ((error: unknown, interaction: ReceivedInteraction) => void) | undefined;
}

/**
 * The handler behind an interactions endpoint URL, in the forms that servers take. Every form accepts any path and needs
 * the bytes of the body: no body parser may run before it, unless it keeps them as `rawBody` of the request, as platforms for
 * functions do, or as its `body`, as `express.raw()` does.
 *
 * The first answer of a handler is sent in the HTTP response (200), unless it has files: those go through the callback
 * endpoint, and the response is 202. If the handler returns without an answer, the response is 202 and the interaction can
 * be answered later through the callback endpoint; if it throws, 500. A request without a valid signature and a replayed
 * one get 401, a body that is too large 413, a body that is no interaction 400, and any method but POST 405.
 */
export interface InteractionEndpoint {
  /** A listener for `node:http`, and for Express. Resolves when the response has been sent; never rejects. */
  readonly handleRequest: (request: NodeRequest, response: NodeResponse) => Promise<void>;
  /** For servers that pass a web `Request` and expect a `Response`, such as Hono. Never rejects. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** A Fastify plugin: `await app.register(endpoint.fastify, { prefix: '/interactions' })`. */
  readonly fastify: (instance: FastifyInstance) => Promise<void>;
  /**
   * Answers further requests with 503, and resolves when those under way have been answered. Handlers that still run may
   * answer until then. Idempotent.
   */
  close(): Promise<void>;
  /** The same as {@link close}. */
  [Symbol.asyncDispose](): Promise<void>;
}

export interface EndpointPorts extends InlineMeans {
  readonly credentials: Credentials;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly collectors: ComponentCollectors<ComponentUse>;
}

/** @param forget called when it is closed @see docs/spec/interactions.md#delivery-over-http */
export async function createInteractionEndpoint(
  ports: EndpointPorts,
  handler: InteractionHandler,
  { publicKey, timestampDriftMs: driftMs = endpointLimits.interactionTimestampDriftMs, onError }: EndpointOptions,
  forget: (endpoint: InteractionEndpoint) => void,
): Promise<InteractionEndpoint> {
  requireNumber('timestampDriftMs', driftMs, 0);
  const { clock, logger, collectors } = ports;
  const trust: Trust = { publicKey: checkKey(publicKey ?? (await askForKey(ports))), driftMs };
  const received = new ReceivedRequests(trust);
  const underWay = new Set<Promise<EndpointReply>>();
  let isClosed = false;

  async function receive(request: SignedRequest): Promise<EndpointReply> {
    const { method, body } = request;
    if (isClosed) return { status: 503 };
    if (method !== 'POST') return { status: 405, headers: { allow: 'POST' } };
    if (!body) return { status: 413 };
    if (!isGenuine(request, body, clock.now(), trust)) return { status: 401 };
    const payload = readInteraction(parseJson(Buffer.from(body).toString()));
    if (!payload) return { status: 400 };
    // A replayed PING has no effect.
    if (payload.type === interactionTypes.PING) return pong;
    if (!received.add(request, body, clock.now())) return { status: 401 };
    const reply = hand(payload);
    underWay.add(reply);
    return reply.finally(() => underWay.delete(reply));
  }

  /** Resolves with the first of: the handler's answer, the return of the handler, the end of the time for an answer. */
  function hand(payload: Interaction): Promise<EndpointReply> {
    const answer = new InlineAnswer(payload, ports);
    const interaction = createReceivedInteraction(payload, {
      clock,
      collectors,
      call: answer.call,
      send: answer.send,
    });
    const cancel = clock.schedule(interaction.answerByMs - clock.now(), () => answer.leave({ status: 504 }));
    const handle = () =>
      void runHandler(handler, interaction, { onError, logger }).then(ended => {
        answer.leave({ status: ended ? 202 : 500 });
      });
    const use = asComponentUse(interaction);
    if (!use || !collectors.offer(use, handle)) handle();
    return answer.reply.finally(cancel);
  }

  async function close(): Promise<void> {
    isClosed = true;
    forget(endpoint);
    await Promise.all(underWay);
  }

  const handleRequest = (request: NodeRequest, response: NodeResponse) =>
    answerNode(receive, request, response, logger);

  const endpoint: InteractionEndpoint = {
    handleRequest,
    fastify: fastifyPlugin(handleRequest),
    fetch: request => answerFetch(receive, request, logger),
    close,
    [Symbol.asyncDispose]: close,
  };
  return endpoint;
}

const pong: EndpointReply = { status: 200, text: JSON.stringify({ type: callbackTypes.PONG }) };

/** @throws ArgumentError `invalid_public_key` */
function checkKey(key: string): string {
  if (isVerifyKey(key)) return key;
  throw new ArgumentError(
    'invalid_public_key',
    'publicKey must be 64 hexadecimal digits. The settings of the application show it.',
  );
}

async function askForKey({ call, credentials }: EndpointPorts): Promise<string> {
  credentials.botToken('An interactions endpoint without publicKey');
  return readVerifyKey((await call('getOwnApplication', { path: {} })).body);
}
