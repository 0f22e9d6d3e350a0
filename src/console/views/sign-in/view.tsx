import { useEffect, useState } from 'preact/hooks';
import { customSchemePrefix, customSchemeRedirectPath, defaultCommunicationScopes } from '../../../model/oauth.ts';
import type { ControlStatus } from '../../../wire/control/status.ts';
import type { ApplicationDetails, ApplicationsPage, GuildsPage, UsersPage } from '../../../wire/control/world.ts';
import { useControl } from '../../control/use-control.ts';
import { hrefOf, setQuery, type ViewProps } from '../../router.ts';
import { Select } from '../../ui/field.tsx';
import { EmptyState, Unready } from '../../ui/states.tsx';
import { UserSelect } from '../../ui/user-select.tsx';
import { signInWords as words } from '../../words/en/sign-in.ts';
import { CodeFlow } from './code-flow.tsx';
import { hasCrypto } from './crypto.ts';
import { DeviceFlow } from './device-flow.tsx';
import { type FlowArgs, newFlowArgs } from './flow.ts';
import { GrantsPane } from './grants-pane.tsx';
import { ProvisionalPane } from './provisional-pane.tsx';
import { WrongTurnsPane } from './wrong-turns-pane.tsx';

type Tab = keyof typeof words.tabs;

/** `#/sign-in/<tab>?application=…&user=…` */
export default function SignInView({ path, query }: ViewProps) {
  const [asked = 'code'] = path;
  const tab: Tab = Object.hasOwn(words.tabs, asked) ? (asked as Tab) : 'code';
  const applications = useControl<ApplicationsPage>('/applications', {
    query: { limit: 1000 },
    areas: ['applications'],
  });
  const users = useControl<UsersPage>('/users', { query: { limit: 100 }, areas: ['users'] });
  const guilds = useControl<GuildsPage>('/guilds', { query: { limit: 100 }, areas: ['guilds'] });
  const status = useControl<ControlStatus>('/status');
  const list = applications.data?.applications;
  const application = list?.find(({ id }) => id === query.application) ?? list?.[0];
  const userId = query.user ?? users.data?.users[0]?.id ?? '';
  const [secret, setSecret] = useState('');
  const [args, setArgs] = useFlowArgs(application);

  const failed = [applications, users, status].find(({ error }) => error !== undefined);
  if (failed || !list || !users.data || !status.data) {
    const isAnswered = applications.data !== undefined && !list;
    const reload = failed?.reload ?? applications.reload;
    return <Unready title={words.title} isAnswered={isAnswered} error={failed?.error} onRetry={reload} />;
  }
  if (!application || userId === '') {
    const [title, text] = application
      ? [words.noUsers, words.noUsersHint]
      : [words.noApplications, words.noApplicationsHint];
    return (
      <>
        <div class="view-head">
          <h1>{words.title}</h1>
        </div>
        <EmptyState title={title} text={text}>
          <a class="button primary" href={hrefOf('world')}>
            {words.toWorld}
          </a>
        </EmptyState>
      </>
    );
  }
  const baseUrl = status.data.addresses.web_base;
  const needsArgs = tab === 'code' || tab === 'wrong';
  return (
    <>
      <div class="view-head">
        <h1>{words.title}</h1>
        {tab !== 'grants' && (
          <Select
            label={words.application}
            value={application.id}
            choices={list.map(({ id, name }) => ({ value: id, label: `${name} (${id})` }))}
            onChange={application => setQuery({ application })}
          />
        )}
        {tab !== 'provisional' && (
          <UserSelect label={words.player} value={userId} onChange={user => setQuery({ user })} />
        )}
      </div>
      <nav class="sign-in-tabs" aria-label={words.title}>
        {(Object.keys(words.tabs) as Tab[]).map(one => (
          <a key={one} href={hrefOf('sign-in', [one], query)} aria-current={one === tab ? 'page' : undefined}>
            {words.tabs[one]}
          </a>
        ))}
      </nav>
      {!hasCrypto() && needsArgs && <p class="warn">{words.noCrypto}</p>}
      {tab === 'code' && args && (
        <CodeFlow
          key={application.id}
          application={application}
          userId={userId}
          guilds={guilds.data?.guilds ?? []}
          baseUrl={baseUrl}
          args={args}
          secret={secret}
          onArgs={setArgs}
          onSecret={setSecret}
        />
      )}
      {tab === 'wrong' && args && (
        <WrongTurnsPane key={application.id} args={args} userId={userId} baseUrl={baseUrl} secret={secret} />
      )}
      {tab === 'device' && (
        <DeviceFlow key={application.id} application={application} userId={userId} baseUrl={baseUrl} secret={secret} />
      )}
      {tab === 'provisional' && (
        <ProvisionalPane key={application.id} application={application} baseUrl={baseUrl} secret={secret} />
      )}
      {tab === 'grants' && <GrantsPane userId={userId} />}
    </>
  );
}

/** Arguments with fresh secrets for each application; undefined until the browser has made them. */
function useFlowArgs(application: ApplicationDetails | undefined) {
  const [args, setArgs] = useState<FlowArgs>();
  const id = application?.id;
  useEffect(() => {
    if (!application || !hasCrypto()) return;
    let isShown = true;
    void newFlowArgs(application.id, defaultCommunicationScopes, schemeOf(application)).then(
      made => isShown && setArgs(made),
    );
    return () => {
      isShown = false;
    };
  }, [id]);
  return [args?.clientId === id ? args : undefined, setArgs] as const;
}

/** The scheme of the application's first redirect that has one of its own. */
function schemeOf({ id, redirect_uris }: ApplicationDetails): string {
  const own = redirect_uris.find(uri => uri.endsWith(`:${customSchemeRedirectPath}`));
  return own?.split(':')[0] ?? customSchemePrefix + id;
}
