import { useState } from 'preact/hooks';
import type { ApplicationDetails, RotateBody, RotatedCredential } from '../../../wire/control/world.ts';
import { control } from '../../control/client.ts';
import { useControl } from '../../control/use-control.ts';
import { useRun } from '../../control/use-run.ts';
import { hrefOf, navigate } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { Detail, PendingDetail } from '../../ui/detail.tsx';
import { ask } from '../../ui/dialog.tsx';
import { Fact } from '../../ui/fact.tsx';
import { FailureNote } from '../../ui/failure-note.tsx';
import { TextField } from '../../ui/field.tsx';
import { useSearchText } from '../../ui/search-text.ts';
import { worldWords } from '../../words/en/world.ts';
import { ApplicationForm } from './application-form.tsx';
import { DeleteButton } from './delete-button.tsx';
import { OwnerLink } from './owner-link.tsx';
import type { PartProps } from './parts.ts';
import type { FreshSecret } from './save-fixture.ts';
import { SecretsDialog } from './secrets-dialog.tsx';
import { usePages } from './use-pages.ts';
import { WorldList } from './world-list.tsx';

const words = worldWords.applications;

export function Applications({ openId, query }: PartProps) {
  const search = query.search ?? '';
  const [text, setText] = useSearchText(search);
  const pages = usePages<ApplicationDetails>('/applications', 'applications', { search }, 'applications');
  const [secrets, setSecrets] = useState<readonly FreshSecret[]>([]);
  return (
    <>
      <WorldList
        part="applications"
        pages={pages}
        openId={openId}
        search={search}
        filters={<TextField label={words.search} type="search" value={text} onInput={setText} />}
        addLabel={words.add}
        empty={search === '' ? words.empty : worldWords.nothingFound}
        emptyHint={search === '' ? words.emptyHint : worldWords.nothingFoundHint}
        columns={[
          { id: 'name', label: words.columns.name, cell: ({ name }) => name },
          { id: 'id', label: worldWords.id, width: '11.5rem', cell: ({ id }) => <code>{id}</code> },
          {
            id: 'kind',
            label: words.columns.kind,
            width: '9.5rem',
            isMinor: true,
            cell: ({ public_client }) => (public_client ? words.kinds.public : words.kinds.confidential),
          },
        ]}
        detail={id => <ApplicationCard key={id} id={id} onSecrets={setSecrets} onDeleted={pages.reload} />}
        form={(onSaved, onClose) => (
          <ApplicationForm
            application={undefined}
            onClose={onClose}
            onSaved={(id, fresh) => {
              setSecrets(fresh);
              onSaved(id);
            }}
          />
        )}
      />
      {secrets.length > 0 && <SecretsDialog secrets={secrets} onClose={() => setSecrets([])} />}
    </>
  );
}

function ApplicationCard({
  id,
  onSecrets,
  onDeleted,
}: {
  readonly id: string;
  onSecrets(secrets: readonly FreshSecret[]): void;
  onDeleted(): void;
}) {
  const { data, error, reload } = useControl<ApplicationDetails>(`/applications/${encodeURIComponent(id)}`, {
    areas: ['applications'],
  });
  const [isEditing, setEditing] = useState(false);
  const running = useRun();

  const rotate = async (credential: RotateBody['credential']) => {
    const what = credential === 'bot_token' ? words.botToken : words.clientSecret;
    const isSure = await ask({
      title: words.rotateTitle(what),
      text: words.rotateText,
      confirm: words.rotateConfirm,
      isDanger: true,
    });
    if (!isSure) return;
    const made = await running.run(() =>
      control.post<RotatedCredential>(`/applications/${encodeURIComponent(id)}/rotate`, { credential }),
    );
    const value = made?.[credential];
    if (value === undefined) return;
    onSecrets([{ application_id: id, application_name: data?.name ?? id, kind: credential, value }]);
    reload();
  };
  if (!data)
    return <PendingDetail id={id} closeHref={hrefOf('world', ['applications'])} error={error} onRetry={reload} />;
  const secrets = [
    { credential: 'bot_token', label: words.botToken, isThere: data.has_bot },
    { credential: 'client_secret', label: words.clientSecret, isThere: data.has_client_secret },
  ] as const;
  return (
    <Detail title={data.name} id={data.id} closeHref={hrefOf('world', ['applications'])}>
      {data.description !== '' && <p>{data.description}</p>}
      <div class="row">
        <Button onClick={() => setEditing(true)}>{worldWords.edit}</Button>
        <a class="button" href={hrefOf('commands', [], { application_id: data.id })}>
          {words.toCommands}
        </a>
        <a class="button" href={hrefOf('lobbies', [], { search: `application:${data.id}` })}>
          {words.toLobbies}
        </a>
        <a class="button" href={hrefOf('traffic', [], { application_id: data.id })}>
          {words.toTraffic}
        </a>
        <DeleteButton
          name={data.name}
          path={`/applications/${encodeURIComponent(id)}`}
          text={worldWords.deleting.application}
          onDeleted={() => {
            onDeleted();
            navigate(hrefOf('world', ['applications']));
          }}
        />
      </div>
      <dl class="facts">
        <Fact label={worldWords.id}>
          <code>{data.id}</code>
        </Fact>
        <Fact label={words.owner}>
          <OwnerLink id={data.owner_id} />
        </Fact>
        <Fact label={words.columns.kind}>{data.public_client ? words.kinds.public : words.kinds.confidential}</Fact>
        <Fact label={words.bot}>
          {data.has_bot ? words.botSessions(data.bot_username ?? data.name, data.bot_sessions) : worldWords.none}
        </Fact>
        <Fact label={words.redirects}>
          {data.redirect_uris.length === 0
            ? worldWords.none
            : data.redirect_uris.map(uri => (
                <div key={uri} class="mono">
                  {uri}
                </div>
              ))}
        </Fact>
        <Fact label={words.installs}>
          {data.integration_types.map(type => words.installNames[type] ?? String(type)).join(', ') || worldWords.none}
        </Fact>
        <Fact label={words.interactionsUrl}>{data.interactions_endpoint_url ?? words.overGateway}</Fact>
        <Fact label={words.eventsUrl}>{data.event_webhooks_url ?? worldWords.none}</Fact>
        {data.parent_id !== null && (
          <Fact label={words.parent}>
            <a href={hrefOf('world', ['applications', data.parent_id])}>{data.parent_id}</a>
          </Fact>
        )}
        <Fact label={words.verifyKey}>
          <code>{data.verify_key}</code>
        </Fact>
        <Fact label={worldWords.tabs.guilds}>
          {data.guild_ids.length === 0
            ? worldWords.none
            : data.guild_ids.map(guild => (
                <span key={guild}>
                  <a href={hrefOf('world', ['guilds', guild])}>{guild}</a>{' '}
                </span>
              ))}
        </Fact>
      </dl>
      <section class="card stack" aria-label={words.secrets}>
        <h3>{words.secrets}</h3>
        <p class="hint">{words.secretsHint}</p>
        <FailureNote failure={running.failure} />
        <ul class="entries">
          {secrets.map(({ credential, label, isThere }) => (
            <li key={credential} class="entry">
              <strong>{label}</strong>
              <span class="grow soft">{isThere ? words.hidden : words.noSecret}</span>
              <Button isBusy={running.isBusy} onClick={() => void rotate(credential)}>
                {isThere ? words.rotate(label) : words.make(label)}
              </Button>
            </li>
          ))}
        </ul>
      </section>
      {isEditing && (
        <ApplicationForm
          application={data}
          onClose={() => setEditing(false)}
          onSaved={(_, fresh) => {
            setEditing(false);
            onSecrets(fresh);
            reload();
          }}
        />
      )}
    </Detail>
  );
}
