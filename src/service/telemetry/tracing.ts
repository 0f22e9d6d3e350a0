import { hasSubscribers } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { version } from '../../model/version.ts';
import type { Fetch, Logger } from '../../wire/clock/ports.ts';
import type { Store } from '../store/contract.ts';
import type { CommitReport } from '../store/embedded.ts';
import { type Attributes, type InSpan, TracedStore } from './traced-store.ts';

type Carrier = Record<string, unknown>;
/** Opaque. */
type Context = object;

interface Span {
  setAttributes(attributes: Attributes): void;
  setStatus(status: { readonly code: number }): void;
  updateName(name: string): void;
  end(): void;
}

interface SpanOptions {
  readonly kind?: number;
  readonly attributes?: Attributes;
  /** Milliseconds since the Unix epoch. */
  readonly startTime?: number;
  readonly root?: boolean;
}

/** The used part of `@opentelemetry/api`, declared here because the package may be absent when this is compiled. */
interface OpenTelemetry {
  readonly trace: {
    getTracer(
      name: string,
      version: string,
    ): { startSpan(name: string, options: SpanOptions, context?: Context): Span };
    getSpan(context: Context): Span | undefined;
    setSpan(context: Context, span: Span): Context;
  };
  readonly context: { active(): Context; with<T>(context: Context, work: () => T): T };
  readonly propagation: {
    extract(context: Context, carrier: Carrier): Context;
    inject(context: Context, carrier: Carrier): void;
  };
}

/** Values of the enumerations `SpanKind` and `SpanStatusCode`. */
const serverKind = 1;
const clientKind = 2;
const errorStatus = 2;

/** The diagnostics channel of undici and of Node's `fetch`; a subscriber traces requests itself. */
const undiciChannel = 'undici:request:create';

/** Creates the spans of the service. */
export interface Tracing {
  /** Runs `serve` within a span of the request, which ends with the answer. */
  request(request: IncomingMessage, response: ServerResponse & { route: string | undefined }, serve: () => void): void;
  /** Traces requests to servers outside, and sends them the trace context. */
  fetch(fetch: Fetch): Fetch;
  /** Traces transactions. */
  store(store: Store): Store;
  /** Records a commit that has just ended. */
  committed(commit: CommitReport): void;
}

/** Tracing by the registered provider; undefined, with a log line, if `@opentelemetry/api` cannot be loaded. */
export async function openTracing(log: Logger): Promise<Tracing | undefined> {
  // The name is computed, so that no bundler follows it: the package is the host's and may be absent.
  const name = '@opentelemetry/api';
  try {
    return createTracing((await import(name)) as OpenTelemetry);
  } catch (error) {
    log.warn({ error }, 'OpenTelemetry is registered, but @opentelemetry/api cannot be loaded: nothing is traced.');
    return undefined;
  }
}

function createTracing({ trace, context, propagation }: OpenTelemetry): Tracing {
  const tracer = trace.getTracer('@rallypoint/sdk/service', version);

  async function within<T>(span: Span, parent: Context, work: () => Promise<T>): Promise<T> {
    try {
      return await context.with(trace.setSpan(parent, span), work);
    } catch (error) {
      span.setStatus({ code: errorStatus });
      throw error;
    } finally {
      span.end();
    }
  }

  const inSpan: InSpan = (name, attributes, work) => {
    const parent = context.active();
    return within(tracer.startSpan(name, { attributes }, parent), parent, work);
  };

  return {
    request(request, response, serve) {
      const { method = '', headers } = request;
      const active = context.active();
      // An instrumentation of Node's HTTP server has already read the headers.
      const parent = trace.getSpan(active) ? active : propagation.extract(active, headers);
      const attributes = { 'http.request.method': method, 'url.scheme': 'http' };
      const span = tracer.startSpan(method, { kind: serverKind, attributes }, parent);
      response.once('close', () => {
        const { route, statusCode } = response;
        if (route !== undefined) span.updateName(`${method} ${route}`);
        span.setAttributes({ 'http.route': route, 'http.response.status_code': statusCode });
        if (statusCode >= 500 || !response.headersSent) span.setStatus({ code: errorStatus });
        span.end();
      });
      context.with(trace.setSpan(parent, span), serve);
    },
    fetch: fetch => (url, init) => {
      // Two spans would send two headers, which receivers ignore.
      if (hasSubscribers(undiciChannel)) return fetch(url, init);
      const { method } = init;
      const { hostname, port, protocol } = new URL(url);
      const attributes = {
        'http.request.method': method,
        // Without path and query, which may contain secrets.
        'server.address': hostname,
        'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
      };
      const parent = context.active();
      const span = tracer.startSpan(method, { kind: clientKind, attributes }, parent);
      return within(span, parent, async () => {
        const carrier: Record<string, string> = {};
        propagation.inject(context.active(), carrier);
        const response = await fetch(url, { ...init, headers: { ...init.headers, ...carrier } });
        span.setAttributes({ 'http.response.status_code': response.status });
        if (response.status >= 400) span.setStatus({ code: errorStatus });
        return response;
      });
    },
    store: store => new TracedStore(store, inSpan),
    committed({ transactions, ms, outcome }) {
      if (outcome === 'unchanged') return;
      const attributes = { 'rallypoint.store.transactions': transactions };
      // Several requests share a commit, so it has no parent.
      const span = tracer.startSpan('store.commit', { root: true, startTime: Date.now() - ms, attributes });
      if (outcome === 'failed') span.setStatus({ code: errorStatus });
      span.end();
    },
  };
}
