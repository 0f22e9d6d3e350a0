import { once } from 'node:events';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { Logger } from '../../wire/clock/ports.ts';
import { RequestError } from '../support/request-error.ts';
import type { Endpoint, Endpoints } from '../telemetry/endpoints.ts';
import type { RequestIds } from '../telemetry/request-log.ts';
import { Answer, requestIdOf, writeReply } from './answer.ts';
import type { Connections } from './connections.ts';
import { errorReply, misdirectedError, requestErrorReply } from './errors.ts';
import type { Hosts } from './hosts.ts';
import { createHttpListener } from './listener.ts';

/** Serves the endpoints for operators. @returns false for any other request */
export type OperatorsListener = (request: Parameters<RequestListener>[0], response: ServerResponse) => boolean;

export interface OperatorsParts {
  readonly endpoints: Endpoints;
  readonly hosts: Pick<Hosts, 'isOurs'>;
  readonly log: Logger;
}

/**
 * Unspecified: probes may use any `Host`, because a prober uses an address that the node does not know, and their answers reveal only
 * whether the node works. Metrics require a known host, because otherwise a web page could read them by DNS rebinding.
 */
export function createOperatorsListener({ endpoints, hosts, log }: OperatorsParts): OperatorsListener {
  async function serve(endpoint: Endpoint, method: string | undefined, response: ServerResponse): Promise<void> {
    if (method !== 'GET' && method !== 'HEAD') {
      const refusal = requestErrorReply(new RequestError('method_not_allowed'));
      return writeReply(response, { ...refusal, headers: { allow: 'GET, HEAD' } });
    }
    const { status, type, text } = await endpoint.answer();
    const headers = { 'content-type': type, 'content-length': Buffer.byteLength(text), 'cache-control': 'no-store' };
    response.writeHead(status, headers);
    response.end(method === 'HEAD' ? undefined : text);
  }

  return (request, response) => {
    const { url = '/', method } = request;
    const endpoint = endpoints.find(url);
    if (!endpoint) return false;
    (response as Answer).route = endpoint.path;
    if (!endpoint.isForAnyHost && !hosts.isOurs(request)) writeReply(response, requestErrorReply(misdirectedError()));
    else {
      serve(endpoint, method, response).catch(error => {
        log.error({ endpoint: endpoint.path, request_id: requestIdOf(response), error }, 'A request failed.');
        if (!response.headersSent) writeReply(response, errorReply(new RequestError('unavailable')));
      });
    }
    return true;
  };
}

export interface OperatorsServerParts {
  readonly listener: OperatorsListener;
  readonly requestIds: RequestIds;
  readonly connections: Pick<Connections, 'accept'>;
  readonly host: string;
  readonly port: number;
}

/** Opens the separate port for operators. It answers from the beginning of the start until the service has stopped. */
export async function openOperatorsServer(
  parts: OperatorsServerParts,
): Promise<{ server: Server; close(): Promise<void> }> {
  const { listener, requestIds, connections, host, port } = parts;
  const server = createHttpListener(Answer, (request, response) => {
    (response as Answer).requestId = requestIds(request);
    if (!listener(request, response)) writeReply(response, requestErrorReply(new RequestError('not_found')));
  });
  server.on('connection', socket => connections.accept(socket));
  server.listen({ host, port });
  await once(server, 'listening');
  return {
    server,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
