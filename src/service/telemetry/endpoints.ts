import { setTimeout as wait } from 'node:timers/promises';
import { loadOnce } from '../../wire/load-once.ts';
import type { Metrics } from './metrics.ts';
import type { Readiness } from './readiness.ts';

/** One of the endpoints for operators. */
export interface Endpoint {
  readonly path: string;
  /** A request for it may name any host: probes name addresses that the service does not know of. */
  readonly isForAnyHost: boolean;
  answer(): Promise<EndpointAnswer>;
}

interface EndpointAnswer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

const json = 'application/json';
/** How many times as long as the last rendering took the next one is put off, so that asking often does not cost others. */
const restPerRendering = 9;

/** `/healthz`, `/readyz` and `/metrics`. */
export interface Endpoints {
  /** The endpoint of a request's target. */
  find(target: string): Endpoint | undefined;
  /** Prometheus' text. */
  metrics(): Promise<string>;
}

export function createEndpoints(metrics: Metrics, readiness: Readiness): Endpoints {
  const load = loadOnce(async () => {
    const { createExposition, metricsType } = await import('./exposition.ts');
    return { render: createExposition(metrics), type: metricsType };
  });
  let next: Promise<string> | undefined;
  let restsUntilMs = 0;

  /** Those who ask while it rests share what is rendered then. */
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
      // It reads the numbers before it waits for anything, so whoever asks from here on has to wait for the next.
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
      // Nearly all requests.
      if (target.startsWith('/api/')) return undefined;
      const mark = target.indexOf('?');
      return byPath.get(mark < 0 ? target : target.slice(0, mark));
    },
    metrics: text,
  };
}
