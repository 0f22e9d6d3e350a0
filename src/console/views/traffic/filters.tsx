import { useEffect, useRef, useState } from 'preact/hooks';
import type { TrafficKind, TrafficQuery } from '../../../wire/control/traffic.ts';
import type { ApplicationDetails } from '../../../wire/control/world.ts';
import { type RouteName, routes } from '../../../wire/routes.ts';
import { setQuery } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { Select, TextField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { words } from '../../words/en/traffic.ts';

/** The fields of the hash that filter. */
export const filterNames = [
  'kind',
  'application_id',
  'user_id',
  'lobby_id',
  'guild_id',
  'route',
  'status',
  'event',
  'search',
  'chain',
] as const satisfies readonly (keyof TrafficQuery)[];

const kinds = Object.keys(words.kinds) as TrafficKind[];
const routeNames = Object.keys(routes) as RouteName[];
const allRoutes = () => routeNames;
const typingPauseMs = 250;

export function filterOf(query: Readonly<Record<string, string>>): TrafficQuery {
  return Object.fromEntries(filterNames.flatMap(name => (query[name] ? [[name, query[name]]] : [])));
}

/** The filters, which the address keeps. */
export function Filters({
  query,
  applications,
  events,
}: {
  readonly query: Readonly<Record<string, string>>;
  readonly applications: readonly Pick<ApplicationDetails, 'id' | 'name'>[];
  /** Names of events that have occurred, as suggestions. */
  events(): readonly string[];
}) {
  const { kind = '', application_id = '', status = '' } = query;
  const chosen = kind === '' ? [] : kind.split(',');
  const known = applications.some(({ id }) => id === application_id) || application_id === '';
  const hasFilter = filterNames.some(name => query[name]);
  const [isOpen, setOpen] = useState(() => matchMedia('(min-width: 48rem)').matches);
  return (
    <div class={`traffic-filters${isOpen ? ' open' : ''}`} role="search" aria-label={words.filters}>
      <div class="traffic-toggle">
        <Button icon={isOpen ? 'down' : 'right'} isExpanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {words.showFilters}
        </Button>
      </div>
      <div class="traffic-kinds" role="group" aria-label={words.kindsLegend}>
        {kinds.map(name => (
          <Button
            key={name}
            isPressed={chosen.includes(name)}
            onClick={() => {
              const next = chosen.includes(name) ? chosen.filter(other => other !== name) : [...chosen, name];
              setQuery({ kind: next.join(',') });
            }}
          >
            {words.kinds[name]}
          </Button>
        ))}
      </div>
      <div class="traffic-fields">
        <TypedFilter name="search" label={words.search} value={query.search ?? ''} placeholder={words.searchHint} />
        <Select
          label={words.application}
          value={application_id}
          choices={[
            { value: '', label: words.anyApplication },
            ...(known ? [] : [{ value: application_id, label: application_id }]),
            ...applications.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          onChange={value => setQuery({ application_id: value })}
        />
        <Select
          label={words.status}
          value={status}
          choices={[
            { value: '', label: words.anyStatus },
            ...words.statuses.map(([value, label]) => ({ value, label })),
            ...(status === '' || words.statuses.some(([value]) => value === status)
              ? []
              : [{ value: status, label: status }]),
          ]}
          onChange={value => setQuery({ status: value })}
        />
        <TypedFilter name="route" label={words.route} value={query.route ?? ''} suggest={allRoutes} />
        <TypedFilter name="event" label={words.event} value={query.event ?? ''} suggest={events} />
        <TypedFilter name="user_id" label={words.user} value={query.user_id ?? ''} />
        {hasFilter && (
          <Button onClick={() => setQuery(Object.fromEntries(filterNames.map(name => [name, undefined])))}>
            {words.clearFilters}
          </Button>
        )}
      </div>
      <Chips query={query} />
    </div>
  );
}

/** Filters that other views set. */
function Chips({ query }: { readonly query: Readonly<Record<string, string>> }) {
  const names = (Object.keys(words.chips) as (keyof typeof words.chips)[]).filter(name => query[name]);
  if (names.length === 0) return null;
  return (
    <ul class="row">
      {names.map(name => {
        const text = `${words.chips[name]} ${query[name]}`;
        return (
          <li key={name}>
            <button
              type="button"
              class="traffic-chip"
              aria-label={words.removeChip(text)}
              onClick={() => setQuery({ [name]: undefined })}
            >
              {text}
              <Icon name="close" />
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** A filter that is typed: the address follows when the typing pauses. */
function TypedFilter({
  name,
  label,
  value,
  placeholder,
  suggest,
}: {
  readonly name: keyof TrafficQuery;
  readonly label: string;
  readonly value: string;
  readonly placeholder?: string;
  /** Asked when the field gets the focus. */
  suggest?(): readonly string[];
}) {
  const [text, setText] = useState(value);
  const [suggestions, setSuggestions] = useState<readonly string[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  // The address may change by itself, for example by the button that clears all filters.
  useEffect(() => setText(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <TextField
      label={label}
      type="search"
      value={text}
      {...(placeholder !== undefined && { placeholder })}
      suggestions={suggestions}
      onFocus={() => suggest && setSuggestions(suggest())}
      onInput={next => {
        setText(next);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => setQuery({ [name]: next.trim() }), typingPauseMs);
      }}
    />
  );
}
