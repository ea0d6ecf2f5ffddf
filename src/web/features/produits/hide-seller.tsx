import { IconEyeOff } from "@tabler/icons-react";
import { useLiveFeed } from "../../api/live-context.ts";
import type { LiveFeed } from "../../api/live-feed.ts";
import { keepFocus } from "../../ui/windows/keep-focus.ts";
import { showToast } from "../../ui/toasts/toast.tsx";
import "./hide-seller.css";

/** Takes a seller's listings out of sight; the message offers to bring them back. */
export function HideSeller({ login }: { readonly login: string }) {
  const feed = useLiveFeed();
  const label = `Ne plus montrer ${login}`;
  return (
    <button
      type="button"
      className="hide-seller"
      title={label}
      aria-label={label}
      onClick={(event) => {
        const at = cards().findIndex((card) => card.contains(event.currentTarget));
        hideSeller(feed, login);
        keepFocus(() => cards()[at] ?? cards().at(-1));
      }}
    >
      <IconEyeOff size={16} stroke={1.8} />
    </button>
  );
}

function cards(): readonly HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>("[data-listing]")];
}

function hideSeller(feed: LiveFeed, login: string): void {
  feed.hiddenSellers.update((hidden) => new Set(hidden).add(login));
  showToast({
    id: `vendeur-${login}`,
    tone: "neutral",
    message: (
      <>
        <p>Les articles de {login} ne sont plus montrés sur cet appareil.</p>
        <button type="button" className="toast__link" onClick={() => showSeller(feed, login)}>
          Annuler
        </button>
      </>
    ),
  });
}

function showSeller(feed: LiveFeed, login: string): void {
  feed.hiddenSellers.update((hidden) => {
    const left = new Set(hidden);
    left.delete(login);
    return left;
  });
  showToast({ id: `vendeur-${login}`, message: `Les articles de ${login} sont de nouveau montrés.` });
}
