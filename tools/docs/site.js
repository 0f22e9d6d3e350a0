// The lists of guides, pages of the interface and entry points are open until a reader closes them.
for (const group of ['Guides', 'The interface', 'API']) {
  const key = `tsd-accordion-${group}`;
  try {
    if (localStorage.getItem(key) === null) localStorage.setItem(key, 'true');
  } catch {
    // Without storage the lists are closed at first.
  }
}
