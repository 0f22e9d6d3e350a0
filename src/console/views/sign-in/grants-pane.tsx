import type { AuthorizationDetails, AuthorizationsAnswer } from '../../../wire/control/world.ts';
import { control } from '../../control/client.ts';
import { useControl } from '../../control/use-control.ts';
import { useRun } from '../../control/use-run.ts';
import { Button } from '../../ui/button.tsx';
import { Countdown } from '../../ui/countdown.tsx';
import { ask } from '../../ui/dialog.tsx';
import { FailureNote } from '../../ui/failure-note.tsx';
import { EmptyState, ErrorNote, Loading } from '../../ui/states.tsx';
import { clockText } from '../../ui/text/time.ts';
import { toast } from '../../ui/toast.ts';
import { signInWords as words } from '../../words/en/sign-in.ts';

/** What a player granted, and ending it. */
export function GrantsPane({ userId }: { readonly userId: string }) {
  const { data, error, reload } = useControl<AuthorizationsAnswer>(`/users/${userId}/authorizations`, {
    areas: ['authorizations'],
  });
  const running = useRun();
  const end = ({ id, application_name }: AuthorizationDetails) =>
    running.run(async () => {
      const { endTitle, endText: text, end: confirm, ended } = words.grants;
      if (!(await ask({ title: endTitle(application_name), text, confirm, isDanger: true }))) return;
      await control.delete(`/authorizations/${id}`);
      toast(ended);
      reload();
    });
  const endAll = () =>
    running.run(async () => {
      const { endAllTitle: title, endAllText: text, endAll: confirm, ended } = words.grants;
      if (!(await ask({ title, text, confirm, isDanger: true }))) return;
      await control.delete(`/users/${userId}/tokens`);
      toast(ended);
      reload();
    });
  if (error && !data) return <ErrorNote error={error} onRetry={reload} />;
  if (!data) return <Loading />;
  const { authorizations } = data;
  if (authorizations.length === 0) return <EmptyState title={words.grants.none} text={words.grants.noneHint} />;
  return (
    <div class="stack">
      <div class="row">
        <p class="hint grow">{words.grants.lead}</p>
        <Button kind="danger" isBusy={running.isBusy} onClick={endAll}>
          {words.grants.endAll}
        </Button>
      </div>
      <FailureNote failure={running.failure} />
      <ul class="stack">
        {authorizations.map(authorization => {
          const { id, application_name, scopes, created_at_ms, tokens } = authorization;
          return (
            <li key={id} class="card stack">
              <div class="row">
                <h2 class="grow">{application_name}</h2>
                <Button kind="danger" isBusy={running.isBusy} onClick={() => end(authorization)}>
                  {words.grants.end}
                </Button>
              </div>
              <dl class="sign-in-facts">
                <dt>{words.grants.scopes}</dt>
                <dd>{scopes.join(' ')}</dd>
                <dt>{words.grants.since}</dt>
                <dd class="mono">{clockText(created_at_ms)}</dd>
                <dt>{words.grants.tokens}</dt>
                <dd>
                  <ul>
                    {tokens.map(({ kind, expires_at_ms }, i) => (
                      <li key={String(i)}>
                        {words.grants.token(kind)},{' '}
                        {expires_at_ms === null ? words.grants.never : <Countdown atMs={expires_at_ms} />}
                      </li>
                    ))}
                  </ul>
                </dd>
              </dl>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
