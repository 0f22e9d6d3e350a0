import type { ComponentChildren } from 'preact';
import type { TrafficEntry } from '../../../wire/control/traffic.ts';
import { hrefOf, type RouteQuery, setQuery } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { bytesText } from '../../ui/text/numbers.ts';
import { clockText, durationText, timeText } from '../../ui/text/time.ts';
import { words } from '../../words/en/traffic.ts';
import { applicationText, callerText, type Names, toneOf, userText } from './describe.ts';

interface Fact {
  readonly name: string;
  readonly value: ComponentChildren;
  /** Shows only entries that share it. */
  readonly filter?: RouteQuery;
}

/** What an entry says about itself. */
export function Facts({
  entry,
  names,
}: {
  readonly entry: TrafficEntry;
  readonly names: Names;
  readonly query: RouteQuery;
}) {
  return (
    <dl class="facts">
      {[...ownFacts(entry, names), ...sharedFacts(entry, names)].map(({ name, value, filter }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class="row">
            <span>{value}</span>
            {filter && (
              <Button
                kind="quiet"
                icon="search"
                label={words.detail.filterBy(name)}
                onClick={() => setQuery(filter, { replace: false })}
              />
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function sharedFacts(entry: TrafficEntry, names: Names): readonly Fact[] {
  const { facts } = words.detail;
  const { id, at_ms, application_id, user_id, lobby_id, guild_id } = entry;
  return [
    ...(application_id === null
      ? []
      : [
          {
            name: facts.application,
            value: (
              <a href={hrefOf('world', ['applications', application_id])}>{applicationText(application_id, names)}</a>
            ),
            filter: { application_id },
          },
        ]),
    ...(user_id === null
      ? []
      : [
          {
            name: facts.user,
            value: <a href={hrefOf('world', ['users', user_id])}>{userText(user_id, names)}</a>,
            filter: { user_id },
          },
        ]),
    ...(lobby_id === null
      ? []
      : [{ name: facts.lobby, value: <a href={hrefOf('lobbies', [lobby_id])}>{lobby_id}</a>, filter: { lobby_id } }]),
    ...(guild_id === null
      ? []
      : [
          {
            name: facts.guild,
            value: <a href={hrefOf('world', ['guilds', guild_id])}>{guild_id}</a>,
            filter: { guild_id },
          },
        ]),
    {
      name: facts.at,
      value: <time title={clockText(at_ms)}>{`${clockText(at_ms).slice(0, 10)} ${timeText(at_ms)}`}</time>,
    },
    { name: facts.id, value: String(id) },
  ];
}

function ownFacts(entry: TrafficEntry, names: Names): readonly Fact[] {
  const { facts, byPeer, byService, noAnswer, actedBy } = words.detail;
  switch (entry.kind) {
    case 'request':
    case 'oauth':
      return [
        { name: facts.status, value: <Status status={entry.status} />, filter: { status: String(entry.status) } },
        ...(entry.error
          ? [{ name: facts.error, value: [entry.error_code, entry.error].filter(Boolean).join(': ') }]
          : []),
        ...(entry.kind === 'oauth' ? [{ name: facts.step, value: words.steps[entry.step] }] : []),
        ...(entry.kind === 'oauth' && entry.redirect_to
          ? [{ name: facts.redirect, value: <code>{entry.redirect_to}</code> }]
          : []),
        ...(entry.route ? [{ name: facts.route, value: entry.route, filter: { route: entry.route } }] : []),
        { name: facts.caller, value: callerText(entry.caller, names) },
        ...(entry.is_acted ? [{ name: facts.acted, value: actedBy }] : []),
        { name: facts.took, value: durationText(entry.duration_ms) },
        ...(entry.request_id ? [{ name: facts.requestId, value: <code>{entry.request_id}</code> }] : []),
      ];
    case 'dispatch':
      return [
        { name: facts.sessions, value: String(entry.sessions) },
        ...(entry.topic ? [{ name: facts.topic, value: <code>{entry.topic}</code> }] : []),
        ...(entry.session_id ? [{ name: facts.session, value: <SessionLink id={entry.session_id} /> }] : []),
        ...(entry.bytes === null ? [] : [{ name: facts.bytes, value: bytesText(entry.bytes) }]),
      ];
    case 'delivery':
      return [
        {
          name: facts.status,
          value: entry.status === null ? (entry.error ?? noAnswer) : <Status status={entry.status} />,
        },
        ...(entry.status !== null && entry.error ? [{ name: facts.error, value: entry.error }] : []),
        { name: facts.took, value: durationText(entry.duration_ms) },
      ];
    case 'connection':
      return [
        { name: facts.connection, value: String(entry.connection) },
        ...(entry.session_id ? [{ name: facts.session, value: <SessionLink id={entry.session_id} /> }] : []),
        ...(entry.op === null ? [] : [{ name: facts.op, value: String(entry.op) }]),
        ...(entry.code === null ? [] : [{ name: facts.code, value: String(entry.code) }]),
        ...(entry.by_peer === null ? [] : [{ name: facts.byPeer, value: entry.by_peer ? byPeer : byService }]),
      ];
    case 'timer':
      return [{ name: facts.subject, value: entry.subject_id }];
    case 'fault':
      return [{ name: facts.fault, value: <a href={hrefOf('time')}>{entry.fault_id}</a> }];
    default:
      return [];
  }
}

function Status({ status }: { readonly status: number }) {
  return <span class={`traffic-result ${toneOf(status)}`}>{status}</span>;
}

function SessionLink({ id }: { readonly id: string }) {
  return <a href={hrefOf('world', ['sessions', id])}>{id}</a>;
}
