import { useEffect, useState } from 'preact/hooks';
import { setQuery } from '../router.ts';

const pauseMs = 250;

/**
 * The text of a search field. What is typed reaches the address after a pause; what the address says otherwise (a link, going back)
 * reaches the field.
 *
 * @param written what the address says
 */
export function useSearchText(written: string, name = 'search'): readonly [string, (text: string) => void] {
  const [text, setText] = useState(written);
  useEffect(() => setText(text => (text.trim() === written ? text : written)), [written]);
  useEffect(() => {
    const timer = setTimeout(() => setQuery({ [name]: text.trim() }), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return [text, setText];
}
