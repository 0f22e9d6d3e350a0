import { once } from 'node:events';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from '../../wire/clock/ports.ts';
import { loadOnce } from '../../wire/load-once.ts';
import { RequestError } from '../support/request-error.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Readiness } from '../telemetry/readiness.ts';
import { Answer, type RequestIds, requestIdOf, writeReply } from './call.ts';
import type { Connections } from './connections.ts';
import { errorReply, misdirectedError, requestErrorReply } from './errors.ts';
import type { Hosts } from './hosts.ts';
import { createHttpListener } from './listener.ts';
import { listen } from './listening.ts';
import { canonicalUrl } from './router.ts';

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
    if (!endpoint.isForAnyHost && !hosts.isOurs(request))
      writeReply(response, requestErrorReply(misdirectedError(request)));
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
  readonly log: Logger;
}

/** Opens the separate port for operators. It answers from the beginning of the start until the service has stopped. */
export async function openOperatorsServer(
  parts: OperatorsServerParts,
): Promise<{ server: Server; close(): Promise<void> }> {
  const { listener, requestIds, connections, host, port, log } = parts;
  const server = createHttpListener(Answer, (request, response) => {
    (response as Answer).requestId = requestIds(request);
    if (!listener(request, response)) writeReply(response, requestErrorReply(new RequestError('not_found')));
  });
  server.on('connection', socket => connections.accept(socket));
  await listen(server, { host, port, log });
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

/** One of the endpoints for operators. */
interface Endpoint {
  readonly path: string;
  /** Requests may carry any `Host`, because probes use addresses that the service does not know. */
  readonly isForAnyHost: boolean;
  answer(): Promise<EndpointAnswer>;
}

interface EndpointAnswer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

const json = 'application/json';
/** The pause between two renderings, in multiples of the last rendering's duration, so that frequent scrapes do not slow down requests. */
const restPerRendering = 9;

/** `/healthz`, `/readyz` and `/metrics`. */
export interface Endpoints {
  /** The endpoint for a request target. */
  find(target: string): Endpoint | undefined;
  /** The metrics in Prometheus' text format. */
  metrics(): Promise<string>;
}

export function createEndpoints(metrics: Metrics, readiness: Readiness): Endpoints {
  const load = loadOnce(async () => {
    const { createExposition, metricsType } = await import('../telemetry/exposition.ts');
    return { render: createExposition(metrics), type: metricsType };
  });
  let next: Promise<string> | undefined;
  let restsUntilMs = 0;

  /** Requests during the pause share the next rendering. */
  function text(): Promise<string> {
    next ??= renderRested();
    return next;
  }

  async function renderRested(): Promise<string> {
    try {
      const { render } = await load();
      const restMs = restsUntilMs - performance.now();
      if (restMs > 0) await wait(restMs);
      const startMs = performance.now();
      // Rendering reads the numbers before its first await, so later requests need the next rendering.
      next = undefined;
      const rendered = await render();
      restsUntilMs = performance.now() + restPerRendering * (performance.now() - startMs);
      return rendered;
    } catch (error) {
      next = undefined;
      throw error;
    }
  }

  const endpoints: readonly Endpoint[] = [
    {
      path: '/healthz',
      isForAnyHost: true,
      answer: async () => ({ status: 200, type: json, text: '{"status":"ok"}' }),
    },
    {
      path: '/readyz',
      isForAnyHost: true,
      async answer() {
        const reasons = await readiness.check();
        if (reasons.length === 0) return { status: 200, type: json, text: '{"status":"ready"}' };
        return { status: 503, type: json, text: JSON.stringify({ status: 'unavailable', reasons }) };
      },
    },
    {
      path: '/metrics',
      isForAnyHost: false,
      answer: async () => ({ status: 200, type: (await load()).type, text: await text() }),
    },
  ];
  const byPath = new Map(endpoints.map(endpoint => [endpoint.path, endpoint]));

  return {
    find(url) {
      // The fast path for nearly all requests.
      if (url.startsWith('/api/')) return undefined;
      const target = canonicalUrl(url);
      const mark = target.indexOf('?');
      return byPath.get(mark < 0 ? target : target.slice(0, mark));
    },
    metrics: text,
  };
}
