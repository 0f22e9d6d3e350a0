import { type Metric as ClientMetric, collectDefaultMetrics, Registry } from 'prom-client';
import { type Metric, metricTable, type Sample } from './metric-table.ts';
import type { Histogram, Metrics } from './metrics.ts';

/** The media type of {@link renderMetrics}. @see https://prometheus.io/docs/instrumenting/exposition_formats/ */
export const metricsType: string = Registry.PROMETHEUS_CONTENT_TYPE;

/**
 * Metrics of the process, which all services in it share. Event-loop delay and garbage collection are measured from the first scrape
 * on.
 */
const processRegistry = new Registry();
collectDefaultMetrics({ register: processRegistry });

/** Creates a function that renders the metrics of a service and of its process in Prometheus' text format. */
export function createExposition(metrics: Metrics): () => Promise<string> {
  const registry = new Registry();
  for (const [name, metric] of Object.entries<Metric>(metricTable)) {
    registry.registerMetric(clientMetric(name, metric, metrics));
  }
  return async () => `${await registry.metrics()}\n${await processRegistry.metrics()}`;
}

interface ClientValue {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** prom-client's own metric classes cannot import values; its registry only needs an object with `get`. */
function clientMetric(name: string, { type, help, read }: Metric, metrics: Metrics): ClientMetric {
  const get = async () => ({ name, help, type, aggregator: 'sum', values: [...values(name, read(metrics))] });
  return { name, help, get } as unknown as ClientMetric;
}

function* values(name: string, samples: Iterable<Sample>): Iterable<ClientValue> {
  for (const sample of samples) {
    const { labels = {} } = sample;
    if ('value' in sample) yield { labels, value: sample.value };
    else yield* histogramValues(name, labels, sample.histogram);
  }
}

function* histogramValues(
  name: string,
  labels: ClientValue['labels'],
  { bounds, counts, sum }: Histogram,
): Iterable<ClientValue> {
  let count = 0;
  for (const [at, bound] of [...bounds, '+Inf'].entries()) {
    count += counts[at] ?? 0;
    yield { metricName: `${name}_bucket`, labels: { ...labels, le: bound }, value: count };
  }
  yield { metricName: `${name}_sum`, labels, value: sum };
  yield { metricName: `${name}_count`, labels, value: count };
}
