import { Component, type ComponentChildren, type ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { messageOf } from '../control/errors.ts';
import { hrefOf, route, type ViewName, type ViewProps } from '../router.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState, Loading } from '../ui/states.tsx';
import { words } from '../words/en.ts';
import { loadView } from './views.ts';

/** Loads the view that the address names, and shows in words what keeps it from being shown. */
export function ViewFrame() {
  const { view, path, query } = route.value;
  if (view === undefined) {
    return (
      <EmptyState isWhole title={words.shell.unknownView} text={words.shell.unknownViewHint}>
        <a class="button primary" href={hrefOf('overview')}>
          {words.shell.toOverview}
        </a>
      </EmptyState>
    );
  }
  return <LoadedView name={view} path={path} query={query} />;
}

function LoadedView({ name, ...props }: ViewProps & { readonly name: ViewName }) {
  const [View, setView] = useState<ComponentType<ViewProps>>();
  const [error, setError] = useState<string>();
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    let isShown = true;
    setError(undefined);
    loadView[name]().then(
      module => isShown && setView(() => module.default),
      error => isShown && setError(messageOf(error)),
    );
    return () => {
      isShown = false;
    };
  }, [name, attempt]);
  const again = () => setAttempt(attempt => attempt + 1);

  if (error !== undefined) {
    return (
      <EmptyState isWhole title={words.shell.loadFailed} text={error} role="alert">
        <Button kind="primary" onClick={again}>
          {words.shell.again}
        </Button>
      </EmptyState>
    );
  }
  if (!View) return <Loading />;
  return (
    <ViewBoundary>
      <View {...props} />
    </ViewBoundary>
  );
}

/** Keeps the shell when a view throws, for example at an answer that is not what the service promises. */
class ViewBoundary extends Component<{ children: ComponentChildren }, { error?: unknown }> {
  static override getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    if (this.state.error === undefined) return this.props.children;
    return (
      <EmptyState
        isWhole
        title={words.shell.broken}
        text={`${words.shell.brokenHint} ${messageOf(this.state.error)}`}
        role="alert"
      >
        <Button kind="primary" onClick={() => this.setState({ error: undefined })}>
          {words.shell.again}
        </Button>
      </EmptyState>
    );
  }
}
