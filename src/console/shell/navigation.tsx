import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { hrefOf, route, viewNames } from '../router.ts';
import { Icon } from '../ui/icon.tsx';
import { words } from '../words/en.ts';
import { Settings } from './settings.tsx';

/** Whether the menu of a small screen is open. */
export const isMenuOpen = signal(false);

export function Navigation() {
  const { view } = route.value;
  useEffect(() => {
    isMenuOpen.value = false;
  }, [view]);
  return (
    <nav id="views" class={isMenuOpen.value ? 'views open' : 'views'} aria-label={words.shell.navigation}>
      <ul>
        {viewNames.map(name => (
          <li key={name}>
            <a
              href={hrefOf(name)}
              aria-current={name === view ? 'page' : undefined}
              onClick={() => (isMenuOpen.value = false)}
            >
              <Icon name={name} />
              <span>{words.views[name]}</span>
            </a>
          </li>
        ))}
      </ul>
      <div class="views-settings">
        <Settings />
      </div>
    </nav>
  );
}
