import { useState } from 'preact/hooks';
import type { SessionAction, SessionDetails } from '../../../wire/control/sessions.ts';
import { control } from '../../control/client.ts';
import { useControl } from '../../control/use-control.ts';
import { useRun } from '../../control/use-run.ts';
import { hrefOf } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { Countdown } from '../../ui/countdown.tsx';
import { Detail } from '../../ui/detail.tsx';
import { ask } from '../../ui/dialog.tsx';
import { Fact } from '../../ui/fact.tsx';
import { FailureNote } from '../../ui/failure-note.tsx';
import { EmptyState, ErrorNote, Loading } from '../../ui/states.tsx';
import { bytesText, countText } from '../../ui/text/numbers.ts';
import { clockText } from '../../ui/text/time.ts';
import { toast } from '../../ui/toast.ts';
import { worldWords } from '../../words/en/world.ts';
import type { PartProps } from './parts.ts';
import { usePages } from './use-pages.ts';
import { WorldList } from './world-list.tsx';

const words = worldWords.sessions;

/** The gateway sessions of this node, and what can be done to them. */
export function Sessions({ openId }: PartProps) {
  const pages = usePages<SessionDetails>('/sessions', 'sessions', {}, 'sessions');
  return (
    <WorldList
      part="sessions"
      pages={pages}
      openId={openId}
      empty={words.empty}
      emptyHint={words.emptyHint}
      columns={[
        { id: 'who', label: words.columns.who, cell: whoOf },
        {
          id: 'kind',
          label: words.columns.kind,
          width: '6.5rem',
          cell: ({ kind }) => words.kinds[kind],
        },
        {
          id: 'state',
          label: words.columns.state,
          width: '8rem',
          cell: session => <State session={session} />,
        },
        {
          id: 'sequence',
          label: words.columns.sequence,
          width: '6rem',
          isNumber: true,
          isMinor: true,
          cell: ({ sequence }) => countText(sequence),
        },
        {
          id: 'buffer',
          label: words.columns.buffer,
          width: '6rem',
          isNumber: true,
          isMinor: true,
          cell: ({ replay }) => countText(replay.events),
        },
      ]}
      detail={id => <SessionCard key={id} id={id} />}
    />
  );
}

function whoOf({ username, user_id, application_id }: SessionDetails) {
  return username ?? (application_id === null ? user_id : `${user_id} (${application_id})`);
}

function State({ session: { connection } }: { readonly session: SessionDetails }) {
  if (!connection) return <span class="badge warn">{words.away}</span>;
  return connection.is_frozen ? (
    <span class="badge fault">{words.frozen}</span>
  ) : (
    <span class="badge good">{words.connected}</span>
  );
}

const acts = ['drop', 'freeze', 'thaw', 'reconnect', 'resumable', 'invalidate', 'end'] as const;
type Act = (typeof acts)[number];

function SessionCard({ id }: { readonly id: string }) {
  // Numbers rise with every event, of which nothing else tells.
  const path = `/sessions/${encodeURIComponent(id)}`;
  const { data, error, reload } = useControl<SessionDetails>(path, { areas: ['sessions'], everyMs: 2_000 });
  const [last, setLast] = useState<SessionDetails>();
  const running = useRun();
  if (data && data !== last) setLast(data);
  const session = data ?? last;
  const isGone = error?.status === 404;
  if (!session) {
    return (
      <Detail title={words.detail} id={id} closeHref={hrefOf('world', ['sessions'])}>
        {!error && <Loading />}
        {error &&
          (isGone ? (
            <EmptyState title={words.gone} text={words.goneHint} />
          ) : (
            <ErrorNote error={error} onRetry={reload} />
          ))}
      </Detail>
    );
  }

  const disturb = async (act: Act) => {
    const isLoss = act === 'invalidate' || act === 'end';
    const question = {
      title: words.endTitle,
      text: words.acts[act].does,
      confirm: words.acts[act].name,
      isDanger: true,
    };
    if (isLoss && !(await ask(question))) return;
    const action: SessionAction = act === 'resumable' ? 'invalidate' : act;
    await running.run(async () => {
      await control.post(path, { action, ...(action === 'invalidate' && { resumable: act === 'resumable' }) });
      toast(words.acts[act].done);
    });
    reload();
  };
  const { connection, replay } = session;
  return (
    <Detail title={whoOf(session)} id={session.id} closeHref={hrefOf('world', ['sessions'])}>
      {isGone && (
        <div class="world-gone" role="status">
          {words.gone}
        </div>
      )}
      <dl class="facts">
        <Fact label={words.detail}>
          <code>{session.id}</code>
        </Fact>
        <Fact label={words.columns.kind}>{words.kinds[session.kind]}</Fact>
        <Fact label={words.columns.state}>
          <State session={session} />{' '}
          {session.resumable_until_ms !== null && (
            <>
              {words.resumableUntil} <Countdown atMs={session.resumable_until_ms} />
            </>
          )}
        </Fact>
        <Fact label={words.user}>
          {session.kind === 'bot' ? (
            session.user_id
          ) : (
            <a href={hrefOf('world', ['users', session.user_id])}>{session.username ?? session.user_id}</a>
          )}
        </Fact>
        {session.application_id !== null && (
          <Fact label={words.application}>
            <a href={hrefOf('world', ['applications', session.application_id])}>{session.application_id}</a>
          </Fact>
        )}
        <Fact label={words.columns.intents}>
          {session.intents === null
            ? words.allIntents
            : session.intent_names.length === 0
              ? words.noIntents
              : session.intent_names.map(name => (
                  <span key={name}>
                    <span class="badge">{name}</span>{' '}
                  </span>
                ))}
        </Fact>
        <Fact label={words.columns.sequence}>{words.acknowledged(session.sequence, session.acknowledged)}</Fact>
        <Fact label={words.columns.buffer}>
          {words.buffered(replay.events, replay.events_max, bytesText(replay.bytes), bytesText(replay.bytes_max))}
        </Fact>
        {session.shard && <Fact label={words.shard}>{words.shardOf(...session.shard)}</Fact>}
        <Fact label={words.topics}>
          {session.topics.length === 0
            ? worldWords.none
            : session.topics.map(topic => (
                <span key={topic}>
                  <code>{topic}</code>{' '}
                </span>
              ))}
          {session.topic_count > session.topics.length && words.moreTopics(session.topic_count - session.topics.length)}
        </Fact>
        {connection && (
          <>
            <Fact label={words.opened}>{clockText(connection.opened_at_ms)}</Fact>
            <Fact label={words.encoding}>
              {[connection.encoding, connection.compression].filter(Boolean).join(', ')}
            </Fact>
            <Fact label={words.backlog}>{bytesText(connection.backlog_bytes)}</Fact>
          </>
        )}
      </dl>
      <section class="card stack" aria-label={words.disturb}>
        <h3>{words.disturb}</h3>
        <FailureNote failure={running.failure} />
        <ul class="entries">
          {acts.map(act => (
            <li key={act} class="entry">
              <p class="grow hint">{words.acts[act].does}</p>
              <Button
                kind={act === 'invalidate' || act === 'end' ? 'danger' : 'plain'}
                isBusy={running.isBusy}
                isDisabled={
                  isGone || (act !== 'end' && !connection) || (act === 'thaw' && connection?.is_frozen !== true)
                }
                onClick={() => void disturb(act)}
              >
                {words.acts[act].name}
              </Button>
            </li>
          ))}
        </ul>
        <p class="hint">
          <a
            href={hrefOf('time', [], { fault: 'drop', user_id: session.kind === 'bot' ? undefined : session.user_id })}
          >
            {words.toFaults}
          </a>
        </p>
      </section>
    </Detail>
  );
}
