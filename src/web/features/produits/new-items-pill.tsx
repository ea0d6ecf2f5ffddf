import { IconArrowUp } from "@tabler/icons-react";
import { useLiveFeed } from "../../api/live-feed.ts";
import { useObservable } from "../../api/observable.ts";
import { formatCounted } from "../../ui/format.ts";
import { withoutSellers } from "./rows.ts";
import "./new-items-pill.css";

interface NewItemsPillProps {
  /** Brings the start of the stream into view. */
  readonly onShow: () => void;
}

/** How many listings are held; a press shows them and goes up to them. */
export function NewItemsPill({ onShow }: NewItemsPillProps) {
  const feed = useLiveFeed();
  const count = withoutSellers(useObservable(feed.held), useObservable(feed.hiddenSellers)).length;
  const show = (): void => {
    feed.showHeld();
    onShow();
  };
  return (
    <div className="new-items-pill" role="status">
      {count === 0 ? null : (
        <button type="button" onClick={show}>
          <IconArrowUp size={16} stroke={2.4} aria-hidden="true" />
          {formatCounted(count, "nouvel article", "nouveaux articles")}
        </button>
      )}
    </div>
  );
}
