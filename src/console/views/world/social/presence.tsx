import { useState } from 'preact/hooks';
import type { Activity } from '../../../../model/presence.ts';
import { act } from '../../../control/act.ts';
import { useRun } from '../../../control/use-run.ts';
import { hrefOf } from '../../../router.ts';
import { Button } from '../../../ui/button.tsx';
import { Countdown } from '../../../ui/countdown.tsx';
import { FailureNote } from '../../../ui/failure-note.tsx';
import { Checkbox, Select, TextField } from '../../../ui/field.tsx';
import { toast } from '../../../ui/toast.ts';
import { socialWords } from '../../../words/en/social.ts';
import { gameName, type SocialCardProps } from './card.ts';
import { endActivity, showActivity } from './social-actions.ts';

const words = socialWords.presence;

/** What others see of the user, by which sessions, and a form that shows an activity. */
export function Presence({ userId, social, applications, reload }: SocialCardProps) {
  const { status, activities, hidden_activities, sessions } = social.presence;
  return (
    <section class="card stack" aria-label={words.title}>
      <div class="row">
        <h3 class="grow">{words.title}</h3>
        <span class={status === 'offline' ? 'badge' : 'badge good'}>{words.statuses[status] ?? status}</span>
      </div>
      <p class="hint">{words.hint}</p>
      <ul class="entries" aria-label={words.activities}>
        {activities.map((activity, at) => (
          <li key={`${at} ${activity.name}`} class="entry">
            <ActivityText activity={activity} />
          </li>
        ))}
        {hidden_activities.map((activity, at) => (
          <li key={`hidden ${at} ${activity.name}`} class="entry">
            <ActivityText activity={activity} /> <span class="badge warn">{words.hidden}</span>
          </li>
        ))}
      </ul>
      <h4>{words.sessions}</h4>
      {sessions.length === 0 && <p class="hint">{words.noSessions}</p>}
      <ul class="entries">
        {sessions.map(session => (
          <li key={session.id} class="entry">
            <div class="grow">
              <div class="row">
                {session.expires_at_ms === null ? (
                  <a class="mono" href={hrefOf('world', ['sessions', session.id])}>
                    {session.id}
                  </a>
                ) : (
                  <code>{session.id}</code>
                )}
                <span class="badge">{words.statuses[session.status] ?? session.status}</span>
              </div>
              <p class="hint">
                {session.application_id === null ? words.ownClient : gameName(applications, session.application_id)}
                {` · ${session.client.client}, ${session.client.os}`}
                {session.expires_at_ms !== null && (
                  <>
                    {` · ${words.withoutConnection} `}
                    <Countdown atMs={session.expires_at_ms} />
                  </>
                )}
              </p>
              {session.activities.map((activity, at) => (
                <ActivityText key={`${at} ${activity.name}`} activity={activity} />
              ))}
            </div>
          </li>
        ))}
      </ul>
      {applications.length > 0 && <ShowForm userId={userId} applications={applications} reload={reload} />}
    </section>
  );
}

function ActivityText({ activity: { name, details, state, party } }: { readonly activity: Activity }) {
  return (
    <p>
      <strong>{name}</strong> {details} {state && <span class="soft">{state}</span>}{' '}
      {party?.size && <span class="badge">{words.party(party.size.join('/'))}</span>}
    </p>
  );
}

/** What has been shown from here, and can be ended by its token. */
interface Begun {
  readonly applicationId: string;
  readonly token: string;
}

function ShowForm({ userId, applications, reload }: Pick<SocialCardProps, 'userId' | 'applications' | 'reload'>) {
  const [chosen, setGame] = useState<string>();
  const [fields, setFields] = useState({ details: '', state: '', partyId: '', isJoinable: true });
  const [begun, setBegun] = useState<Begun>();
  const running = useRun();
  const set = (changes: Partial<typeof fields>) => setFields({ ...fields, ...changes });
  const game = chosen ?? applications[0]?.id ?? '';
  const show = async (event: Event) => {
    event.preventDefault();
    const shown = { ...fields, name: gameName(applications, game) };
    const answer = await running.run(() => act(showActivity(userId, game, shown)));
    const { token } = (answer?.body ?? {}) as { readonly token?: string };
    if (token === undefined) return;
    setBegun({ applicationId: game, token });
    toast(words.shown);
    reload();
  };
  const end = async ({ applicationId, token }: Begun) => {
    await running.run(async () => {
      await act(endActivity(userId, applicationId, token));
      setBegun(undefined);
      toast(words.ended);
    });
    reload();
  };
  return (
    <form class="stack" onSubmit={event => void show(event)}>
      <fieldset class="stack">
        <legend>{words.show}</legend>
        <p class="hint">{words.showHint}</p>
        <FailureNote failure={running.failure} />
        <Select
          label={words.game}
          value={game}
          choices={applications.map(({ id, name }) => ({ value: id as string, label: name }))}
          onChange={setGame}
        />
        <TextField label={words.details} value={fields.details} onInput={details => set({ details })} />
        <TextField label={words.state} value={fields.state} onInput={state => set({ state })} />
        <TextField
          label={words.partyId}
          hint={words.partyIdHint}
          value={fields.partyId}
          onInput={partyId => set({ partyId })}
        />
        <Checkbox
          label={words.joinable}
          isChecked={fields.isJoinable}
          isDisabled={fields.partyId === ''}
          onChange={isJoinable => set({ isJoinable })}
        />
        <div class="row">
          <Button type="submit" isBusy={running.isBusy}>
            {words.set}
          </Button>
          {begun && (
            <Button isBusy={running.isBusy} onClick={() => void end(begun)}>
              {words.end}
            </Button>
          )}
        </div>
      </fieldset>
    </form>
  );
}
