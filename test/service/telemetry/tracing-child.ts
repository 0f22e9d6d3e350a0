/**
 * Runs a service in a process in which OpenTelemetry's own SDK is registered, makes some requests, and prints the spans and what an
 * application's server was sent. The argument `instrumented` says that something else traces what undici sends.
 */
import { subscribe } from 'node:diagnostics_channel';
import { context, propagation } from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { startLoopbackServer } from '../../support/http/loopback-server.ts';
import { botHeaders, starfall } from '../../support/service/starfall.ts';
import { playerToken } from '../../support/service/tokens.ts';

const exporter = new InMemorySpanExporter();
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
if (process.argv[2] === 'instrumented') {
  // As @opentelemetry/instrumentation-undici does it.
  subscribe('undici:request:create', message => {
    const { request } = message as { request: { addHeader(name: string, value: string): void } };
    const carrier: Record<string, string> = {};
    propagation.inject(context.active(), carrier);
    for (const [name, value] of Object.entries(carrier)) request.addHeader(name, value);
  });
}

const { startService } = await import('../../../src/service/index.ts');
// The first event is held, so that the second waits in line behind it.
let release = () => {};
const game = await startLoopbackServer((_, response, index) => {
  const answer = () => response.writeHead(204).end();
  if (index === 0) release = answer;
  else answer();
});
const applications = starfall.applications.map(one => ({
  ...one,
  event_webhooks_url: `${game.baseUrl}/events?secret=1`,
}));
const service = await startService({ fixtures: { ...starfall, applications }, limits: 'off' });

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const { id: lobbyId } = (await (
  await fetch(`${service.apiBase}/v10/lobbies`, {
    method: 'POST',
    headers: { ...botHeaders, traceparent },
    body: '{}',
  })
).json()) as { id: string };
await fetch(`${service.apiBase}/v10/lobbies/${lobbyId}`, { headers: botHeaders });
await fetch(`${service.webBase}/oauth2/authorize?state=secret`);
await fetch(`${service.webBase}/healthz`);
// Each makes a webhook event.
const seen = async (count: number) => {
  while (game.seen.length < count) await new Promise(resolve => setImmediate(resolve));
};
await playerToken(service, starfall.users[0].id, 'identify');
await seen(1);
await playerToken(service, starfall.users[0].id, 'identify email');
release();
await seen(2);

await service.close();
await game.close();

const spans = exporter.getFinishedSpans().map(span => ({
  name: span.name,
  kind: span.kind,
  traceId: span.spanContext().traceId,
  spanId: span.spanContext().spanId,
  parent: span.parentSpanContext?.spanId,
  attributes: span.attributes,
  status: span.status.code,
}));
const sent = game.seen.map(({ headers }) => headers.traceparent);
process.stdout.write(JSON.stringify({ spans, sent }));
