import { useState } from 'preact/hooks';
import { relationshipTypes } from '../../../../model/relationship.ts';
import type { CallBody } from '../../../../wire/control/act.ts';
import type { RelationshipDetails } from '../../../../wire/control/social.ts';
import { act } from '../../../control/act.ts';
import { useRun } from '../../../control/use-run.ts';
import { hrefOf } from '../../../router.ts';
import { Button } from '../../../ui/button.tsx';
import { ask } from '../../../ui/dialog.tsx';
import { FailureNote } from '../../../ui/failure-note.tsx';
import { Select } from '../../../ui/field.tsx';
import { clockText } from '../../../ui/text/time.ts';
import { toast } from '../../../ui/toast.ts';
import { UserPicker } from '../../../ui/user-picker.tsx';
import { socialWords } from '../../../words/en/social.ts';
import { gameName, nameOf, type SocialCardProps } from './card.ts';
import { deleteRelationship, putRelationship } from './social-actions.ts';

const words = socialWords.relationships;
const { FRIEND, BLOCKED, INCOMING } = relationshipTypes;
const removals: Readonly<Record<number, string>> = {
  1: words.unfriend,
  2: words.unblock,
  3: words.refuse,
  4: words.withdraw,
};

/** Friends, requests and blocks: everywhere, and in games. */
export function Relationships({ userId, social, applications, reload }: SocialCardProps) {
  const running = useRun();
  const run = async (...calls: readonly CallBody[]) => {
    await running.run(async () => {
      for (const call of calls) await act(call);
      toast(words.done);
    });
    reload();
  };
  const end = async ({ user, type, family_id }: RelationshipDetails) => {
    const question = {
      title: words.endTitle(nameOf(user)),
      text: words.endText,
      confirm: words.endConfirm,
      isDanger: true,
    };
    if (type === FRIEND && !(await ask(question))) return;
    await run(deleteRelationship(userId, user.id, family_id));
  };
  return (
    <section class="card stack" aria-label={words.title}>
      <h3>{words.title}</h3>
      <FailureNote failure={running.failure} />
      {social.relationships.length === 0 && <p class="hint">{words.empty}</p>}
      <ul class="entries">
        {social.relationships.map(one => (
          <li key={`${one.user.id} ${one.family_id}`} class="entry">
            <div class="grow">
              <div class="row">
                <a href={hrefOf('world', ['users', one.user.id], { tab: 'social' })}>{nameOf(one.user)}</a>
                <span class={one.type === BLOCKED ? 'badge fault' : one.type === FRIEND ? 'badge good' : 'badge'}>
                  {words.types[one.type]}
                </span>
                {one.user.username === null && <span class="badge warn">{socialWords.unknownUser}</span>}
              </div>
              <p class="hint">
                {one.family_id === null
                  ? socialWords.everywhere
                  : socialWords.inGame(gameName(applications, one.family_id))}
                {' · '}
                {socialWords.since(clockText(one.since_ms))}
                {one.nickname !== null && ` · ${words.nickname(one.nickname)}`}
                {one.note !== null && ` · ${words.note(one.note)}`}
              </p>
            </div>
            {one.type === INCOMING && (
              <Button
                isBusy={running.isBusy}
                label={words.acceptLabel(nameOf(one.user))}
                onClick={() => void run(putRelationship(userId, one.user.id, one.family_id, 1))}
              >
                {words.accept}
              </Button>
            )}
            <Button
              kind="quiet"
              isBusy={running.isBusy}
              label={words.actLabel(removals[one.type] ?? '', nameOf(one.user))}
              onClick={() => void end(one)}
            >
              {removals[one.type]}
            </Button>
          </li>
        ))}
      </ul>
      {social.blocked_by.length > 0 && (
        <div>
          <h4>{words.blockedBy}</h4>
          <p class="hint">{words.blockedByHint}</p>
          <ul class="entries">
            {social.blocked_by.map(user => (
              <li key={user.id} class="entry">
                <a href={hrefOf('world', ['users', user.id], { tab: 'social' })}>{nameOf(user)}</a>
              </li>
            ))}
          </ul>
        </div>
      )}
      <AddForm userId={userId} applications={applications} isBusy={running.isBusy} run={run} />
    </section>
  );
}

function AddForm({
  userId,
  applications,
  isBusy,
  run,
}: Pick<SocialCardProps, 'userId' | 'applications'> & {
  readonly isBusy: boolean;
  run(...calls: readonly CallBody[]): Promise<void>;
}) {
  const [other, setOther] = useState('');
  const [game, setGame] = useState('');
  const [isMissing, setMissing] = useState(false);
  const family = game === '' ? null : game;
  const start = (...calls: readonly CallBody[]) => {
    setMissing(other === '');
    if (other !== '') void run(...calls);
  };
  return (
    <fieldset class="stack">
      <legend>{words.addTitle}</legend>
      <UserPicker
        label={words.other}
        value={other}
        onChange={setOther}
        {...(isMissing && other === '' && { error: words.chooseFirst })}
      />
      <Select
        label={words.scope}
        value={game}
        choices={[
          { value: '', label: socialWords.everywhere },
          ...applications.map(({ id, name }) => ({ value: id as string, label: socialWords.inGame(name) })),
        ]}
        onChange={setGame}
      />
      <div class="row">
        <Button isBusy={isBusy} onClick={() => start(putRelationship(userId, other, family))}>
          {words.request}
        </Button>
        <Button
          isBusy={isBusy}
          onClick={() => start(putRelationship(userId, other, family), putRelationship(other, userId, family, 1))}
        >
          {words.befriend}
        </Button>
        <Button
          kind="danger"
          isBusy={isBusy}
          isDisabled={family !== null}
          onClick={() => start(putRelationship(userId, other, null, 2))}
        >
          {words.block}
        </Button>
      </div>
      <p class="hint">{words.befriendHint}</p>
    </fieldset>
  );
}
