import type { UserDetails } from '../../../wire/control/world.ts';
import { useControl } from '../../control/use-control.ts';
import { hrefOf, setQuery, type ViewProps } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { useCommands } from '../../ui/commands.ts';
import { Field } from '../../ui/field.tsx';
import { EmptyState, ErrorNote, Unready } from '../../ui/states.tsx';
import { UserSelect } from '../../ui/user-select.tsx';
import { stageWords as words } from '../../words/en/stage.ts';
import { AppSide } from './app-side.tsx';
import { usesOf } from './chat-client.ts';
import { ConnectionState, LanguageSelect, Pane, placeName } from './pane.tsx';
import { type Place, placeText, readPlace } from './places.ts';
import { type StageWorld, useStageWorld } from './world.ts';

/** What of the stage a small screen shows. */
const parts = { first: words.first, second: words.second, application: words.application } as const;
type Part = keyof typeof parts;

export default function StageView({ query }: ViewProps) {
  const { world, error, reload } = useStageWorld();
  const shown: Part = Object.hasOwn(parts, query.show ?? '') ? (query.show as Part) : 'first';
  useCommands(
    (Object.keys(parts) as Part[]).map(part => ({
      id: `stage-${part}`,
      label: parts[part],
      run: () => setQuery({ show: part }),
    })),
    [],
  );
  if (!world) return <Unready title={words.title} isAnswered={false} error={error} onRetry={reload} />;
  if (world.users.length === 0) {
    return (
      <>
        <Head />
        <EmptyState title={words.noUsers} text={words.noUsersHint}>
          <ToWorld />
        </EmptyState>
      </>
    );
  }
  const [ada, grace] = world.users;
  const first = query.user ?? ada?.id ?? '';
  const second = query.user2 ?? grace?.id ?? ada?.id ?? '';
  const defaultPlace = placesOf(world)[0]?.places[0];
  const placeOfPane = (text: string | undefined) => readPlace(text) ?? defaultPlace;
  const uses = usesOf([first, second]);
  return (
    <>
      <Head />
      <div class="stage-parts row" role="group" aria-label={words.panes}>
        {(Object.keys(parts) as Part[]).map(part => (
          <Button key={part} isPressed={part === shown} onClick={() => setQuery({ show: part })}>
            {parts[part]}
          </Button>
        ))}
      </div>
      <div class={`stage-grid show-${shown}`}>
        <PaneFrame
          title={words.first}
          userId={first}
          place={placeOfPane(query.place)}
          world={world}
          onUser={user => setQuery({ user })}
          onPlace={place => setQuery({ place: placeText(place) })}
        />
        <PaneFrame
          title={words.second}
          userId={second}
          place={placeOfPane(query.place2 ?? query.place)}
          world={world}
          onUser={user2 => setQuery({ user2 })}
          onPlace={place => setQuery({ place2: placeText(place) })}
        />
        <AppSide uses={uses} />
      </div>
    </>
  );
}

function Head() {
  return (
    <>
      <div class="view-head">
        <h1>{words.title}</h1>
      </div>
      <p class="stage-lead hint">{words.lead}</p>
    </>
  );
}

function ToWorld() {
  return (
    <a class="button primary" href={hrefOf('world')}>
      {words.toWorld}
    </a>
  );
}

function PaneFrame({
  title,
  userId,
  place,
  world,
  onUser,
  onPlace,
}: {
  readonly title: string;
  readonly userId: string;
  readonly place: Place | undefined;
  readonly world: StageWorld;
  onUser(id: string): void;
  onPlace(place: Place): void;
}) {
  const {
    data: user,
    error,
    reload,
  } = useControl<UserDetails>(userId === '' ? undefined : `/users/${userId}`, { areas: ['users'] });
  return (
    <section class="stage-pane card" aria-label={title}>
      <div class="stage-pane-head">
        <UserSelect label={words.user} value={userId} onChange={onUser} />
        {place && <PlaceSelect place={place} world={world} onChange={onPlace} />}
        {user && <LanguageSelect user={user} onChanged={reload} />}
        {user && place?.kind !== 'lobby' && <ConnectionState userId={user.id} />}
      </div>
      {error && <ErrorNote error={error} onRetry={reload} />}
      {!place && (
        <EmptyState title={words.noPlaces} text={words.noPlacesHint}>
          <ToWorld />
        </EmptyState>
      )}
      {userId === '' && <EmptyState title={words.chooseUser} text={words.chooseUserHint} />}
      {user && place && <Pane user={user} place={place} world={world} />}
    </section>
  );
}

interface PlaceGroup {
  readonly label: string;
  readonly places: readonly Place[];
}

/** Text channels and what is like them; categories have no messages. */
const categoryType = 4;

function placesOf({ guilds, applications, lobbies }: StageWorld): readonly PlaceGroup[] {
  return [
    ...guilds.map(({ id, name, channels }) => ({
      label: words.channels(name),
      places: channels
        .filter(({ type }) => type !== categoryType)
        .map((channel): Place => ({ kind: 'channel', guildId: id, channelId: channel.id })),
    })),
    {
      label: words.directs,
      places: applications
        .filter(({ has_bot }) => has_bot)
        .map(({ id }): Place => ({ kind: 'direct', applicationId: id })),
    },
    {
      label: words.lobbies,
      places: lobbies.map(
        ({ id, application_id }): Place => ({ kind: 'lobby', applicationId: application_id, lobbyId: id }),
      ),
    },
  ].filter(({ places }) => places.length > 0);
}

function PlaceSelect({
  place,
  world,
  onChange,
}: {
  readonly place: Place;
  readonly world: StageWorld;
  onChange(place: Place): void;
}) {
  const groups = placesOf(world);
  const value = placeText(place);
  const isKnown = groups.some(({ places }) => places.some(one => placeText(one) === value));
  return (
    <Field label={words.place}>
      {attributes => (
        <select
          {...attributes}
          class="input"
          value={value}
          onChange={event => {
            const chosen = readPlace(event.currentTarget.value);
            if (chosen) onChange(chosen);
          }}
        >
          {!isKnown && <option value={value}>{placeName(place, world)}</option>}
          {groups.map(({ label, places }) => (
            <optgroup key={label} label={label}>
              {places.map(one => (
                <option key={placeText(one)} value={placeText(one)}>
                  {placeName(one, world)}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      )}
    </Field>
  );
}
