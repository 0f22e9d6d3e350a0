import { useEffect, useState } from 'preact/hooks';
import type { Command } from '../../../model/command.ts';
import type { ExplainAnswer, ExplainedStep } from '../../../wire/control/commands.ts';
import type { GuildDetails, GuildMemberDetails } from '../../../wire/control/world.ts';
import { control, isAbort } from '../../control/client.ts';
import { messageOf } from '../../control/errors.ts';
import { setQuery } from '../../router.ts';
import { Select } from '../../ui/field.tsx';
import { ErrorNote } from '../../ui/states.tsx';
import { commandWords as words } from '../../words/en/commands.ts';
import { words as kitWords } from '../../words/en.ts';
import { nameOf } from './links.ts';

/** May this member use this command here? The question is in the address, so that it can be sent to somebody. */
export function ExplainCard({
  guild,
  members,
  commands,
  query,
  revision,
}: {
  readonly guild: GuildDetails;
  readonly members: readonly GuildMemberDetails[];
  readonly commands: readonly Command[];
  readonly query: Readonly<Record<string, string>>;
  /** Asks again when it changes. */
  readonly revision: unknown;
}) {
  const { user = '', command = '', channel = '' } = query;
  const [answer, setAnswer] = useState<ExplainAnswer>();
  const [error, setError] = useState<string>();
  // `revision` asks the same question again.
  useEffect(() => {
    setAnswer(undefined);
    setError(undefined);
    if (user === '' || command === '') return;
    const abort = new AbortController();
    const body = {
      command_id: command,
      guild_id: guild.id,
      user_id: user,
      ...(channel !== '' && { channel_id: channel }),
    };
    control.post<ExplainAnswer>('/permissions/explain', body, { signal: abort.signal }).then(setAnswer, error => {
      if (!isAbort(error) && !abort.signal.aborted) setError(messageOf(error));
    });
    return () => abort.abort();
  }, [guild.id, user, command, channel, revision]);

  const none = { value: '', label: kitWords.kit.choose };
  const memberChoices = members.map(({ user_id, username, global_name, nick }) => {
    return { value: user_id, label: nick ?? global_name ?? username ?? user_id };
  });
  if (user !== '' && !members.some(({ user_id }) => user_id === user)) memberChoices.push({ value: user, label: user });
  return (
    <section class="card stack">
      <h2>{words.permissions.question}</h2>
      <div class="row commands-choices">
        <Select
          label={words.permissions.who}
          value={user}
          choices={[none, ...memberChoices]}
          onChange={user => setQuery({ user })}
        />
        <Select
          label={words.permissions.what}
          value={command}
          choices={[none, ...commands.map(one => ({ value: one.id, label: nameOf(one) }))]}
          onChange={command => setQuery({ command })}
        />
        <Select
          label={words.permissions.where}
          value={channel}
          choices={[
            { value: '', label: words.permissions.wholeGuild },
            ...guild.channels.map(({ id, name }) => ({ value: id, label: `#${name}` })),
          ]}
          onChange={channel => setQuery({ channel })}
        />
      </div>
      {error !== undefined && <ErrorNote error={{ message: error }} />}
      {!answer && error === undefined && <p class="hint">{words.permissions.pick}</p>}
      {answer && <Explained answer={answer} />}
    </section>
  );
}

function Explained({ answer: { allowed, reason, steps, decided_by } }: { readonly answer: ExplainAnswer }) {
  return (
    <div class="stack" role="status">
      <p>
        <span class={`badge ${allowed ? 'good' : 'fault'}`}>
          {allowed ? words.permissions.allowed : words.permissions.denied}
        </span>{' '}
        {reason}
      </p>
      <ol class="commands-steps">
        {steps.map(step => (
          <Step key={step.step} step={step} isDecision={step.step === decided_by} />
        ))}
      </ol>
    </div>
  );
}

const tones = { allow: 'good', deny: 'fault', next: '', skipped: '' } as const;

function Step({ step, isDecision }: { readonly step: ExplainedStep; readonly isDecision: boolean }) {
  const { outcome, rule, finding, layer, missing } = step;
  return (
    <li class={`commands-step ${outcome}`} aria-current={isDecision ? 'step' : undefined}>
      <div class="row">
        <strong class="grow">{words.permissions.stepNames[step.step]}</strong>
        <span class={`badge ${tones[outcome]}`}>{words.permissions.outcomes[outcome]}</span>
      </div>
      <p class="hint">{rule}</p>
      {finding !== '' && <p>{finding}</p>}
      {layer && <p class="hint">{words.permissions.layer[layer]}</p>}
      {missing.length > 0 && <p>{words.permissions.missing(missing.join(', '))}</p>}
      {isDecision && <p class="commands-decided">{words.permissions.decided}</p>}
    </li>
  );
}
