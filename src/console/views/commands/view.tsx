import type { CommandsAnswer } from '../../../wire/control/commands.ts';
import type { ApplicationsPage, GuildsPage } from '../../../wire/control/world.ts';
import { useControl } from '../../control/use-control.ts';
import { hrefOf, navigate, type ViewProps } from '../../router.ts';
import { Select } from '../../ui/field.tsx';
import { EmptyState, ErrorNote, Loading, Unready } from '../../ui/states.tsx';
import { commandWords as words } from '../../words/en/commands.ts';
import { CommandsPane } from './commands-pane.tsx';
import { globalPart, hrefOfCommands, type Tab } from './links.ts';
import { PermissionsPane } from './permissions-pane.tsx';
import { PlanPane } from './plan-pane.tsx';
import { scopeOf } from './scope.ts';

export default function CommandsView({ path, query }: ViewProps) {
  const [askedApplication, askedScope = globalPart, askedTab = 'list', commandId] = path;
  const applications = useControl<ApplicationsPage>('/applications', {
    query: { limit: 1000 },
    areas: ['applications'],
  });
  const list = applications.data?.applications;
  const application =
    list?.find(({ id }) => id === askedApplication) ?? (askedApplication === undefined ? list?.[0] : undefined);
  const guildId = askedScope === globalPart ? undefined : askedScope;
  const tab: Tab = Object.hasOwn(words.tabs, askedTab) ? (askedTab as Tab) : 'list';
  const commands = useControl<CommandsAnswer>(application && '/commands', {
    query: { application_id: application?.id },
    areas: ['commands'],
  });
  const guilds = useControl<GuildsPage>(application && '/guilds', {
    query: { application_id: application?.id, limit: 1000 },
    areas: ['guilds'],
  });

  if (applications.error || !list) {
    const { data, error, reload } = applications;
    return <Unready title={words.title} isAnswered={data !== undefined} error={error} onRetry={reload} />;
  }
  if (list.length === 0 || !application) {
    return (
      <>
        <Head />
        <EmptyState
          title={list.length === 0 ? words.noApplications : words.noSuchApplication}
          text={list.length === 0 ? words.noApplicationsHint : words.noSuchApplicationHint}
        >
          <a class="button primary" href={hrefOf('world')}>
            {words.toWorld}
          </a>
        </EmptyState>
      </>
    );
  }
  const guildList = guilds.data?.guilds ?? [];
  const scope = scopeOf(application, guildId, commands.data?.scopes ?? []);
  const scopeChoices = [
    { value: globalPart, label: words.global },
    ...guildList.map(({ id, name }) => ({ value: id, label: words.guild(name) })),
  ];
  const goTo = (to: { application?: string; scope?: string }) => {
    const nextScope = to.scope ?? (to.application === undefined ? askedScope : globalPart);
    navigate(hrefOf('commands', [to.application ?? application.id, nextScope, tab]));
  };
  return (
    <>
      <Head>
        <Select
          label={words.application}
          value={application.id}
          choices={list.map(({ id, name }) => ({ value: id, label: `${name} (${id})` }))}
          onChange={id => goTo({ application: id })}
        />
        {tab !== 'permissions' && (
          <Select label={words.scope} value={askedScope} choices={scopeChoices} onChange={scope => goTo({ scope })} />
        )}
      </Head>
      <nav class="commands-tabs" aria-label={words.title}>
        {(Object.keys(words.tabs) as Tab[]).map(one => (
          <a
            key={one}
            href={hrefOfCommands(application.id, guildId, one)}
            aria-current={one === tab ? 'page' : undefined}
          >
            {words.tabs[one]}
          </a>
        ))}
      </nav>
      {commands.error && <ErrorNote error={commands.error} onRetry={commands.reload} />}
      {!commands.data && !commands.error && <Loading />}
      {commands.data && tab === 'list' && (
        <CommandsPane scope={scope} commandId={commandId} find={query.find ?? ''} onChanged={commands.reload} />
      )}
      {commands.data && tab === 'plan' && (
        <PlanPane key={`${application.id}/${askedScope}`} scope={scope} onChanged={commands.reload} />
      )}
      {commands.data && tab === 'permissions' && (
        <PermissionsPane
          application={application}
          scopes={commands.data.scopes}
          guilds={guildList}
          query={query}
          guildId={guildId}
        />
      )}
    </>
  );
}

function Head({ children }: { readonly children?: preact.ComponentChildren }) {
  return (
    <div class="view-head">
      <h1>{words.title}</h1>
      {children}
    </div>
  );
}
