import { useEffect, useRef } from 'preact/hooks';
import { startLive } from '../control/live.ts';
import { route } from '../router.ts';
import { words } from '../words/en.ts';
import { Header } from './header.tsx';
import { Navigation } from './navigation.tsx';
import { CommandPalette } from './palette.tsx';
import { ViewFrame } from './view-frame.tsx';
import { watchService } from './watch-service.ts';

/** Everything that surrounds a view. */
export function Shell() {
  const main = useRef<HTMLElement>(null);
  const { view } = route.value;
  useEffect(watchService, []);
  useEffect(startLive, []);
  useEffect(() => {
    document.title = `${view ? words.views[view] : words.shell.unknownView} · ${words.title}`;
  }, [view]);

  return (
    <div class="shell">
      <a
        class="skip"
        href="#main"
        onClick={event => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        {words.shell.skip}
      </a>
      <Header />
      <Navigation />
      <main id="main" ref={main} tabIndex={-1}>
        <ViewFrame key={view} />
      </main>
      <CommandPalette />
    </div>
  );
}
