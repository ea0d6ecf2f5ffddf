import { useAwaitingBank } from "../api/purchase-outcomes.ts";
import { formatClock, formatCounted } from "../ui/format.ts";
import { useNowMs } from "../ui/now.ts";
import "./awaiting-badge.css";

interface AwaitingBadgeProps {
  /** Says until when beside the count; elsewhere there is no room for it. */
  readonly hasDeadline?: boolean;
}

/** How many purchases wait for the person's bank, beside the link that leads to them; nothing while none does. */
export function AwaitingBadge({ hasDeadline = false }: AwaitingBadgeProps) {
  const { count, deadlineS } = useAwaitingBank();
  const nowMs = useNowMs();
  if (count === 0) return null;
  const deadline = deadlineS === null || deadlineS * 1_000 < nowMs ? "" : `avant ${formatClock(deadlineS)}`;
  const words = `${formatCounted(count, "achat à confirmer", "achats à confirmer")} ${deadline}`.trim();
  return (
    <span className="awaiting-badge" title={words}>
      <span className="visually-hidden">{`, ${words}`}</span>
      {hasDeadline && deadline !== "" ? (
        <span className="awaiting-badge__deadline" aria-hidden="true">
          {deadline}
        </span>
      ) : null}
      <span className="awaiting-badge__count" aria-hidden="true">
        {count}
      </span>
    </span>
  );
}
