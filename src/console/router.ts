import { signal } from '@preact/signals';

/** The views, in the order of the navigation. */
export const viewNames = ['overview', 'traffic', 'lobbies', 'commands', 'stage', 'sign-in', 'world', 'time'] as const;
export type ViewName = (typeof viewNames)[number];

/** What a hash such as `#/lobbies/1234?search=duel` names. */
export interface Route {
  readonly view: ViewName | undefined;
  /** What follows the view's name, part by part. */
  readonly path: readonly string[];
  /** The filters; names that occur once. */
  readonly query: Readonly<Record<string, string>>;
}

/** What every view is given: its path and its filters. */
export type ViewProps = Pick<Route, 'path' | 'query'>;

/** Values for the query of a link; undefined, empty and false ones are left out. */
export type RouteQuery = Readonly<Record<string, string | number | boolean | undefined>>;

export const route = signal<Route>(parseHash(''));

export function startRouter(): void {
  const read = () => {
    route.value = parseHash(location.hash);
  };
  addEventListener('hashchange', read);
  read();
}

export function parseHash(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#?\/?/, '').split(/\?(.*)/s);
  const [name = '', ...rest] = path.split('/').map(decode);
  const view = name === '' ? 'overview' : viewNames.find(known => known === name);
  return { view, path: rest.filter(part => part !== ''), query: Object.fromEntries(new URLSearchParams(search)) };
}

/** The hash of a view: `hrefOf('lobbies', [id], { search })`. */
export function hrefOf(view: ViewName, path: readonly string[] = [], query: RouteQuery = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '' && value !== false) search.set(name, String(value));
  }
  const parts = [...(view === 'overview' && path.length === 0 ? [] : [view]), ...path.map(encodeURIComponent)];
  const text = search.toString();
  return `#/${parts.join('/')}${text && `?${text}`}`;
}

/** Goes to a view. `replace` leaves no entry in the history: for filters that change while one types. */
export function navigate(href: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (href === location.hash) return;
  history[replace ? 'replaceState' : 'pushState'](null, '', href);
  route.value = parseHash(href);
}

/** Changes filters of the present view: undefined and '' remove one. */
export function setQuery(changes: RouteQuery, { replace = true }: { readonly replace?: boolean } = {}): void {
  const { view = 'overview', path, query } = route.peek();
  navigate(hrefOf(view, path, { ...query, ...changes }), { replace });
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
