import { IconArrowUp } from "@tabler/icons-react";
import { useLiveFeed } from "../../api/live-context.ts";
import { useObservable } from "../../api/observable.ts";
import { formatCounted } from "../../ui/format.ts";
import "./new-items-pill.css";

interface NewItemsPillProps {
  readonly onShow: () => void;
}

/** What arrived while the person reads further down; a touch goes up to it. */
export function NewItemsPill({ onShow }: NewItemsPillProps) {
  const feed = useLiveFeed();
  const count = useObservable(feed.held).length;
  const show = (): void => {
    feed.setHolding(false);
    onShow();
    window.scrollTo({ top: 0 });
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
