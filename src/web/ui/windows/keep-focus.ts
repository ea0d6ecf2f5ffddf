/**
 * What a key took away, or switched off for a while, takes the focus with it: the keyboard would begin again at the
 * top of the page. Gives it a home once the page is drawn, unless the focus stands somewhere already.
 */
export function keepFocus(home: () => HTMLElement | null | undefined): void {
  requestAnimationFrame(() => {
    const { activeElement } = document;
    if (activeElement === null || activeElement === document.body) home()?.focus();
  });
}

/** Of a form in a window that was refused: its first field that can be mended, or else the button that sends it. */
export function keepFocusInForm(): void {
  keepFocus(
    () =>
      document.querySelector<HTMLElement>('[role="dialog"] form [aria-invalid="true"]') ??
      document.querySelector<HTMLElement>('[role="dialog"] form [type="submit"]'),
  );
}
