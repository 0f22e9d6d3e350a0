import { useEffect, useRef } from 'preact/hooks';
import type { TrafficDetails, TrafficEntry, TrafficMessage } from '../../../wire/control/traffic.ts';
import { useControl } from '../../control/use-control.ts';
import { hrefOf, type RouteQuery } from '../../router.ts';
import { Button, CopyButton } from '../../ui/button.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { ErrorNote, Loading } from '../../ui/states.tsx';
import { bytesText } from '../../ui/text/numbers.ts';
import { words } from '../../words/en/traffic.ts';
import { curlOf } from './copy/curl.ts';
import { sdkCodeOf } from './copy/sdk-code.ts';
import { testCodeOf } from './copy/test-code.ts';
import { describe, type Names } from './describe.ts';
import { Facts } from './facts.tsx';
import { CauseTree } from './tree.tsx';

/** One entry with its headers and bodies, what caused it and what it caused. */
export function TrafficDetail({
  id,
  names,
  query,
  onClose,
}: {
  readonly id: string;
  readonly names: Names;
  readonly query: RouteQuery;
  onClose(): void;
}) {
  const { data, error, reload } = useControl<TrafficDetails>(`/traffic/${encodeURIComponent(id)}`);
  const frame = useRef<HTMLElement>(null);
  useEffect(() => {
    frame.current?.focus();
  }, [id]);
  const shown = data?.entry ? describe(data.entry, names) : undefined;
  return (
    <aside
      ref={frame}
      class="traffic-detail stack"
      aria-label={words.detail.title}
      tabIndex={-1}
      onKeyDown={event => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        onClose();
      }}
    >
      <div class="traffic-detail-head">
        <h2>{shown?.what ?? words.detail.title}</h2>
        <Button kind="quiet" icon="close" label={words.detail.close} onClick={onClose} />
      </div>
      {error && <ErrorNote error={error.status === 404 ? { message: words.detail.gone } : error} onRetry={reload} />}
      {data ? <Detail details={data} names={names} query={query} /> : !error && <Loading />}
    </aside>
  );
}

function Detail({
  details,
  names,
  query,
}: {
  readonly details: TrafficDetails;
  readonly names: Names;
  readonly query: RouteQuery;
}) {
  const { entry, request, answer, data } = details;
  return (
    <>
      <div class="row">
        <Copies details={details} />
      </div>
      <Facts entry={entry} names={names} query={query} />
      {request && <Message title={words.detail.request} message={request} />}
      {answer && <Message title={words.detail.answer} message={answer} />}
      {data !== null && data !== undefined && (
        <section class="stack">
          <h3>{dataTitle(entry)}</h3>
          <JsonView value={data} label={dataTitle(entry)} depth={3} />
        </section>
      )}
      <section class="stack">
        <div class="row">
          <h3 class="grow">{words.detail.tree}</h3>
          <a href={hrefOf('traffic', [String(entry.id)], { chain: String((details.causes[0] ?? entry).id) })}>
            {words.detail.onlyChain}
          </a>
        </div>
        <CauseTree details={details} names={names} query={query} />
      </section>
    </>
  );
}

function Copies({ details }: { readonly details: TrafficDetails }) {
  const { entry } = details;
  return (
    <>
      {(entry.kind === 'request' || entry.kind === 'oauth') && (
        <>
          <CopyButton kind="plain" label={words.copy.curl} text={() => curlOf(details, location.origin)} />
          <CopyButton kind="plain" label={words.copy.sdk} text={() => sdkCodeOf(details, location.origin)} />
          {testCodeOf(details) !== '' && (
            <CopyButton kind="plain" label={words.copy.test} text={() => testCodeOf(details)} />
          )}
        </>
      )}
      <CopyButton kind="plain" label={words.copy.json} text={() => JSON.stringify(details, undefined, 2)} />
    </>
  );
}

function dataTitle({ kind }: TrafficEntry): string {
  const { data } = words.detail;
  return kind === 'dispatch' || kind === 'connection' || kind === 'fault' ? data[kind] : data.other;
}

function Message({ title, message }: { readonly title: string; readonly message: TrafficMessage }) {
  const headers = Object.entries(message.headers ?? {});
  return (
    <section class="stack">
      <h3>{title}</h3>
      {headers.length > 0 && (
        <details>
          <summary>{words.detail.headers(headers.length)}</summary>
          <dl class="facts traffic-headers">
            {headers.map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
      {message.is_cut && <p class="hint">{words.detail.cut(bytesText(message.bytes))}</p>}
      {message.body === null || message.body === undefined ? (
        <p class="hint">{words.detail.noBody}</p>
      ) : typeof message.body === 'string' ? (
        <pre class="traffic-text" tabIndex={0}>
          {message.body}
        </pre>
      ) : (
        <JsonView value={message.body} label={`${title}: ${words.detail.body}`} depth={3} />
      )}
    </section>
  );
}
