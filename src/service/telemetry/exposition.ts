import { type Metric as ClientMetric, collectDefaultMetrics, Registry } from 'prom-client';
import { type Metric, metricTable, type Sample } from './metric-table.ts';
import type { Histogram, Metrics } from './metrics.ts';

/** The media type of {@link renderMetrics}. @see https://prometheus.io/docs/instrumenting/exposition_formats/ */
export const metricsType: string = Registry.PROMETHEUS_CONTENT_TYPE;

/**
 * Of the process: several services in it share them, as they share the process. What they measure over time (the event
 * loop's delay, garbage collection) they measure from the first time that somebody asks.
 */
const processRegistry = new Registry();
collectDefaultMetrics({ register: processRegistry });

/** Makes what renders a service's metrics, and those of its process, in Prometheus' text format. */
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

/** The library's own metrics cannot take over numbers that were counted elsewhere; its registry only asks for them. */
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
