import { setTimeout as wait } from 'node:timers/promises';
import { loadOnce } from '../../wire/load-once.ts';
import type { Metrics } from './metrics.ts';
import type { Readiness } from './readiness.ts';

/** One of the endpoints for operators. */
export interface Endpoint {
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
    const { createExposition, metricsType } = await import('./exposition.ts');
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
    find(target) {
      // The fast path for nearly all requests.
      if (target.startsWith('/api/')) return undefined;
      const mark = target.indexOf('?');
      return byPath.get(mark < 0 ? target : target.slice(0, mark));
    },
    metrics: text,
  };
}
