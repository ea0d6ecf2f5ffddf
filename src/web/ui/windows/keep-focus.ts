/** Focusing is retried on this many frames: the target may be disabled until the next render. */
const MAX_FRAMES = 30;

/**
 * Restores lost focus: when the focused element is removed or disabled, the keyboard would start again at the
 * top of the page. Focuses `home` after the next render, unless something else has the focus by then.
 */
export function keepFocus(
  home: () => HTMLElement | null | undefined,
  isLost = isFocusLost,
  frames = MAX_FRAMES,
): void {
  requestAnimationFrame(() => {
    if (!isLost()) return;
    // The content as a whole would be aligned with the top of the screen, which the top bar covers.
    home()?.focus({ preventScroll: home === openContent });
    if (isLost() && frames > 1) keepFocus(home, isLost, frames - 1);
  });
}

export function isFocusLost(): boolean {
  const { activeElement } = document;
  // A disabled element keeps the focus until the next frame is drawn.
  return activeElement === null || activeElement === document.body || activeElement.matches(":disabled");
}

/** Moves the focus to the nearest focusable container of a button, before its press unmounts it. */
export function leaveFocusAround(button: Element): void {
  button.closest<HTMLElement>('[tabindex="-1"]')?.focus({ preventScroll: true });
}

/** The topmost dialog, or else the page's main content. */
export function openContent(): HTMLElement | undefined {
  return [...document.querySelectorAll<HTMLElement>('main, [role="dialog"]')].at(-1);
}

/** Restores lost focus to the open content. */
export function keepFocusInPage(): void {
  keepFocus(openContent);
}

/** A dialog that has faded out is removed from the DOM within this time. */
const REMOVED_AFTER_MS = 100;

/** After a dialog was closed: its opener, to which Mantine returns the focus, may be gone. */
export function keepFocusAfterWindow(): void {
  setTimeout(keepFocusInPage, REMOVED_AFTER_MS);
}
